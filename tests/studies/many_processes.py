"""Several processes at work on one database; a script that the tests start.

    python many_processes.py URL N_PROCESSES

Every process opens the database, which makes its tables, then all add to one log,
then all ask for one lease. The outcome is printed as JSON.
"""

import json
import os
import sys

import pandas as pd

from penchant.data import Items
from penchant.exceptions import ConflictError
from penchant.studies import SqlStore

N_EVENTS = 20


def work(url: str, me: int) -> dict[str, object]:
    items = Items.from_frame(pd.DataFrame({"rent": [5, 9]}, ["a", "b"]))
    with SqlStore(url) as store:
        study_id = store.ensure_demo("Demo", items)
        # The first to get the lease adds the participant; the others wait for it.
        if store.lease("participant", str(me), 60):
            store.add_participant(study_id)
        while not store.list_participants(study_id):
            pass
        person = store.list_participants(study_id)[0]
        conflicts = add_to_log(store, person.id, me)
        return {
            "study": study_id,
            "participant": person.id,
            "conflicts": conflicts,
            "lease": store.lease("refit", str(me), 60),
        }


def add_to_log(store: SqlStore, participant_id: str, me: int) -> int:
    conflicts = 0
    for number in range(N_EVENTS):
        while True:
            position = store.get_participant(participant_id).n_events
            try:
                store.append(
                    participant_id, position, [("note", {"by": me, "n": number})]
                )
                break
            except ConflictError:
                conflicts += 1
    return conflicts


def main(url: str, n_processes: int) -> None:
    ready, go = os.pipe()
    answers = []
    for me in range(n_processes):
        answer, tell = os.pipe()
        if os.fork() == 0:
            os.close(go)
            os.read(ready, 1)  # returns when the parent closes its end
            os.write(tell, json.dumps(work(url, me)).encode())
            os._exit(0)
        os.close(tell)
        answers.append(answer)
    os.close(go)
    outcomes = []
    for answer in answers:
        with os.fdopen(answer) as pipe:
            outcomes.append(json.loads(pipe.read()))
    sys.stdout.write(json.dumps(outcomes))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
