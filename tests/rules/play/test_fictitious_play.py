import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from penchant.solvers import fictitious_play


def algorithm_1(M, n_iter, first):
    """Algorithm 1 of the paper line by line, line 6 with argmin (PRL-1)."""
    n_rows, n_columns = len(M), len(M[0])
    s_p, v_p = [0.0] * n_rows, [0] * n_rows
    s_q, v_q = list(M[first]), [0] * n_columns
    v_p[first] = 1
    for _ in range(n_iter):
        best_column = s_q.index(max(s_q))
        s_p = [s_p[i] + M[i][best_column] for i in range(n_rows)]
        best_row = s_p.index(min(s_p))
        s_q = [s_q[j] + M[best_row][j] for j in range(n_columns)]
        v_q[best_column] += 1
        v_p[best_row] += 1
    return v_p, v_q


def first_row_of(seed, n_rows):
    return int(np.random.default_rng(seed).integers(n_rows))


@settings(max_examples=60, deadline=None)
@given(
    n_rows=st.integers(1, 8),
    n_columns=st.integers(1, 8),
    n_iter=st.integers(1, 60),
    seed=st.integers(0, 1000),
    whole=st.booleans(),
    is_sparse=st.booleans(),
)
def test_it_takes_the_steps_of_the_paper(
    n_rows, n_columns, n_iter, seed, whole, is_sparse
):
    rng = np.random.default_rng(seed)
    M = rng.standard_normal((n_rows, n_columns))
    if whole:  # many ties
        M = np.round(M)
    solution = fictitious_play(
        sparse.csr_array(M) if is_sparse else M, max_iter=n_iter, random_state=seed
    )
    v_p, v_q = algorithm_1(M.tolist(), n_iter, first_row_of(seed, n_rows))
    assert solution.n_iter == n_iter
    assert solution.p.tolist() == (np.array(v_p) / (n_iter + 1)).tolist()
    assert solution.q.tolist() == (np.array(v_q) / n_iter).tolist()


def test_it_plays_on_at_a_saddle_point():
    solution = fictitious_play([[0.0]], max_iter=2_500, random_state=0)
    assert solution.n_iter == 2_500
    assert solution.status == "optimal"


def test_the_first_row_is_drawn_reproducibly():
    M = np.random.default_rng(0).standard_normal((50, 20))
    legacy = [
        fictitious_play(M, max_iter=5, random_state=np.random.RandomState(3)).p
        for _ in range(2)
    ]
    assert np.array_equal(*legacy)
    drawn = {
        fictitious_play(M, max_iter=1, random_state=s).p.tobytes() for s in range(9)
    }
    assert len(drawn) > 1
