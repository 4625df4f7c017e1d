"""Files of answers: recognised by content, read by name, wrong rows named."""

import numpy as np
import pandas as pd
import pytest

from penchant.data import (
    BestWorst,
    Choices,
    Comparisons,
    Items,
    Rankings,
    Ratings,
    read_answers,
)
from penchant.exceptions import DataError


def read(text, items=None):
    return read_answers(text.encode(), items)


def pairs_of(found):
    pairs = found.to_comparisons()
    return [
        (found.names[w], found.names[v], bool(t))
        for w, v, t in zip(pairs.winners, pairs.losers, pairs.ties, strict=True)
    ]


class TestPairs:
    def test_winner_and_loser(self):
        found = read("user,winner,loser\nAnn,Mill,Kiln\nBob,Kiln,Mill\n")
        assert (found.format, found.names) == ("pairs", ("Mill", "Kiln"))
        assert found.answers.users.tolist() == ["Ann", "Bob"]

    def test_semicolons_upper_case_and_a_mark_in_front(self):
        found = read("\ufeffWinner;Loser\nMill;Kiln\n")
        assert pairs_of(found) == [("Mill", "Kiln", False)]

    def test_names_are_those_of_the_items(self):
        found = read("winner,loser\nb,a\n", ["a", "b", "c"])
        assert found.names == ("a", "b", "c")
        assert found.answers.winners.tolist() == [1]

    def test_unknown_names_are_told_with_row_column_and_a_guess(self):
        with pytest.raises(
            DataError, match=r"Row 3: column 'loser': there is no item .* mean 'Kiln'"
        ):
            read("winner,loser\nMill,Kiln\nMill,Klin\nMill,Kiln\n", ["Mill", "Kiln"])

    def test_several_wrong_rows_are_counted(self):
        with pytest.raises(DataError, match=r"Row 2: 'a' is compared .* 1 more rows"):
            read("winner,loser\na,a\nb,\n")

    def test_numbers_as_names(self):
        assert read("winner,loser\n7,12\n12,3\n").names == ("7", "12", "3")


class TestBattles:
    HEAD = "model_a,model_b,winner,judge\n"

    def test_sides_names_ties_and_both_bad(self):
        found = read(
            self.HEAD + "x,y,model_a,1\nx,y,model_b,1\nx,z,tie,2\n"
            "y,z,tie (bothbad),2\ny,z,z,3\n"
        )
        assert found.format == "battles"
        assert pairs_of(found) == [
            ("x", "y", False),
            ("y", "x", False),
            ("x", "z", True),
            ("y", "z", True),
            ("z", "y", False),
        ]

    def test_a_word_that_is_no_result(self):
        with pytest.raises(
            DataError, match=r"Row 2: column 'winner' says 'first'; exp"
        ):
            read(self.HEAD + "x,y,first,1\n")


class TestRatings:
    def test_triples(self):
        found = read("userId,movieId,rating,timestamp\n1,31,2.5,99\n2,31,4,98\n")
        assert isinstance(found.answers, Ratings)
        assert found.names == ("31",)
        assert found.answers.values.tolist() == [2.5, 4.0]
        assert found.answers.users.tolist() == ["1", "2"]

    @pytest.mark.parametrize("cell", ["good", "", "inf"])
    def test_ratings_that_are_no_numbers(self, cell):
        with pytest.raises(DataError, match=r"Row 3: column 'rating' says .* a number"):
            read(f"user,item,rating\na,x,1\na,y,{cell}\n")

    def test_rankings(self):
        found = read("ranking,user,place,item\n1,a,2,x\n1,a,1,y\n2,b,1,x\n2,b,2,y\n")
        assert [order.tolist() for order in found.answers.orders] == [[1, 0], [0, 1]]

    def test_rankings_without_ties(self):
        with pytest.raises(DataError, match="two items in the same place"):
            read("ranking,place,item\n1,1,x\n1,1,y\n")
        with pytest.raises(DataError, match="Row 2: column 'place' says 'first'"):
            read("ranking,place,item\n1,first,x\n1,1,y\n")


PREFLIB = """# FILE NAME: 00099-00000001.{kind}
# TITLE: Lunch
# DATA TYPE: {kind}
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: {voters}
# ALTERNATIVE NAME 1: Soup
# ALTERNATIVE NAME 2: Rice, with peas
# ALTERNATIVE NAME 3: Cake
"""


class TestPrefLib:
    def test_strict_orders_count_their_voters(self):
        found = read(PREFLIB.format(kind="soc", voters=3) + "2: 3,1,2\n1: 2,3,1\n")
        assert found.format == "PrefLib .soc"
        assert found.names[1] == "Rice, with peas"
        assert [o.tolist() for o in found.answers.orders] == [[2, 0, 1]] * 2 + [
            [1, 2, 0]
        ]

    def test_ties_are_ratings_without_a_common_scale(self):
        found = read(PREFLIB.format(kind="toc", voters=1) + "1: 3,{1,2}\n")
        assert isinstance(found.told, Comparisons)
        assert set(pairs_of(found)) == {
            ("Cake", "Soup", False),
            ("Cake", "Rice, with peas", False),
            ("Soup", "Rice, with peas", True),
        }

    @pytest.mark.parametrize("kind", ["soi", "toi"])
    def test_orders_may_leave_alternatives_out(self, kind):
        found = read(PREFLIB.format(kind=kind, voters=1) + "1: 2,1\n")
        assert pairs_of(found) == [("Rice, with peas", "Soup", False)]

    def test_categories_are_grades_from_the_best(self):
        head = PREFLIB.format(kind="cat", voters=2)
        head += "# NUMBER CATEGORIES: 3\n# CATEGORY NAME 1: Yes\n"
        found = read(head + "1: 3,{1,2},{}\n1: {},{},{1,2,3}\n")
        assert isinstance(found.told, Ratings)
        assert found.answers.values.tolist() == [3, 2, 2, 1, 1, 1]

    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            ("2: 3,1,4\n", r"Row 9: '4' is no alternative"),
            ("2: 3,1,1\n", "alternative 1 stands twice"),
            ("3,1,2\n", "'3,1,2' is no vote; expected a count"),
            ("2: \n", "the order is empty"),
            ("1: 3,1,2\n", "speaks of 2 voters, but .* add up to 1"),
            ("", "no answers"),
        ],
    )
    def test_errors_that_people_make(self, lines, said):
        with pytest.raises(DataError, match=said):
            read(PREFLIB.format(kind="soc", voters=2) + lines)

    def test_a_header_that_names_too_few(self):
        text = PREFLIB.format(kind="soc", voters=1).replace(
            "# ALTERNATIVE NAME 3: Cake\n", ""
        )
        with pytest.raises(DataError, match=r"names 3 alternatives .* Found 2"):
            read(text + "1: 1,2\n")

    def test_two_of_one_name(self):
        text = PREFLIB.format(kind="soc", voters=1).replace("Cake", "Soup")
        with pytest.raises(DataError, match="Two alternatives are called 'Soup'"):
            read(text + "1: 1,2,3\n")


class TestChoices:
    LONG = (
        "person,task,alt,price,time,choice\n"
        "a,1,car,5,20,1\na,1,bus,2,40,0\n"
        "b,1,car,6,20,0\nb,1,bus,3,35,1\n"
    )

    def test_long_with_attributes(self):
        found = read(self.LONG)
        assert found.format == "choices, long"
        assert found.items.names == ("a 1: car", "a 1: bus", "b 1: car", "b 1: bus")
        assert [a.name for a in found.items.attributes] == ["price", "time", "alt"]
        assert [s.tolist() for s in found.answers.sets] == [[0, 1], [2, 3]]
        assert found.answers.chosen.tolist() == [0, 3]
        assert found.answers.users.tolist() == ["a", "b"]

    def test_long_about_given_items(self):
        items = Items.from_frame(
            pd.DataFrame({"wheels": [4.0, 6.0]}), names=["car", "bus"]
        )
        found = read("task,alt,choice\n1,bus,yes\n1,car,no\n2,car,1\n2,bus,0\n", items)
        assert found.items is items
        assert found.answers.chosen.tolist() == [1, 0]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("task,alt,p,choice\n1,a,1,1\n1,b,2,1\n", "has 2 alternatives with 1"),
            (
                "task,alt,p,choice\n1,a,1,0\n1,b,2,0\n",
                "from row 2.* has 0 alternatives",
            ),
            (
                "task,alt,p,choice\n1,a,1,maybe\n1,b,2,0\n",
                "Row 2: column 'choice' says",
            ),
            ("task,alt,p,choice\n1,a,1,1\n", "one alternative; a choice needs two"),
            ("task,alt,p,choice\n1,a,1,1\n1,a,2,0\n", "'1: a' occurs twice"),
            ("task,choice\n1,1\n1,0\n", "no attributes of the alternatives"),
        ],
    )
    def test_errors_that_people_make(self, text, said):
        with pytest.raises(DataError, match=said):
            read(text)

    @pytest.mark.parametrize(
        "header",
        [
            "id,choice,price_car,price_bus,time_car,time_bus",
            "id,choice,price.car,price.bus,time.car,time.bus",
            "id,choice,car_price,bus_price,car_time,bus_time",
        ],
    )
    def test_wide(self, header):
        found = read(header + "\n1,car,5,2,20,40\n2,bus,6,3,20,35\n3,bus,,1,,30\n")
        assert found.format == "choices, wide"
        assert sorted(found.items.frame.columns) == ["alternative", "price", "time"]
        assert [len(s) for s in found.answers.sets] == [2, 2, 1]
        first = found.items.values(int(found.answers.chosen[0]))
        assert (first["price"], first["time"]) == (5.0, 20.0)

    def test_wide_with_numbered_alternatives_has_no_labels(self):
        found = read("choice,price_1,price_2,price_3\n1,5,2,9\n2,6,3,8\n")
        assert list(found.items.frame.columns) == ["price"]
        assert [len(s) for s in found.answers.sets] == [3, 3]

    def test_wide_choice_that_was_not_offered(self):
        with pytest.raises(DataError, match=r"Row 3: column 'choice' says '1'; exp"):
            read("choice,price_1,price_2\n2,5,2\n1,,3\n")

    def test_listed_sets_by_name_and_by_place(self):
        found = read("item_1,item_2,item_3,chosen\nx,y,z,y\nx,z,,item_2\ny,z,,1\n")
        assert isinstance(found.answers, Choices)
        assert found.answers.chosen.tolist() == [1, 2, 1]

    def test_listed_sets_with_something_else(self):
        with pytest.raises(
            DataError, match="Row 2: column 'chosen' says 'w', which is"
        ):
            read("item_1,item_2,chosen\nx,y,w\n")
        with pytest.raises(DataError, match="an item is shown twice"):
            read("item_1,item_2,chosen\nx,x,x\n")
        with pytest.raises(DataError, match="expected two items or more"):
            read("item_1,item_2,chosen\nx,,x\n")


class TestBestWorst:
    def test_rows_of_sets(self):
        found = read("user,item_1,item_2,item_3,best,worst\nu,x,y,z,z,x\nu,x,y,z,2,3\n")
        assert isinstance(found.answers, BestWorst)
        assert found.answers.best.tolist() == [2, 1]
        assert found.answers.worst.tolist() == [0, 2]

    def test_rows_of_items(self):
        found = read("task,item,best,worst\n1,x,0,1\n1,y,0,0\n1,z,1,0\n")
        assert found.format == "best and worst, long"
        assert found.names == ("x", "y", "z")
        assert found.answers.best.tolist() == [2]

    def test_best_is_worst(self):
        with pytest.raises(DataError, match="Row 2: the same item is called"):
            read("item_1,item_2,best,worst\nx,y,x,x\n")


class TestLibsvm:
    TEXT = "2 qid:1 1:0.5 3:1 # doc 7\n0 qid:1 1:0.1\n1 qid:2 2:3\n1 qid:2 1:4\n"

    def test_queries_are_compared_within(self):
        found = read(self.TEXT)
        assert found.names[0] == "query 1, item 1"
        assert found.items.frame["feature 3"].tolist() == [1.0, 0.0, 0.0, 0.0]
        assert len(found.answers) == 2
        assert found.answers.ties.tolist() == [False, True]
        assert found.answers.users.tolist() == ["1", "2"]

    def test_a_row_that_is_different(self):
        with pytest.raises(DataError, match=r"Row 2: 'qid:1 0 1:4' is not 'grade qid"):
            read("2 qid:1 1:0.5\nqid:1 0 1:4\n")
        with pytest.raises(DataError, match="holds something that is not a number"):
            read("2 qid:1 1:0.5\n1 qid:1 1:4e\n")
        with pytest.raises(DataError, match="No row has a feature"):
            read("2 qid:1\n1 qid:1\n")


class TestRecords:
    def test_texts_and_conversations(self):
        text = '{"prompt": "p", "chosen": "x", "rejected": "y"}\n\n'
        text += '{"chosen": [{"role": "a", "content": "y"}], "rejected": "z"}\n'
        assert pairs_of(read(text)) == [("x", "y", False), ("y", "z", False)]

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ('{"chosen": "x"', "Row 2: this is not JSON"),
            ('{"chosen": "x"}', "Row 2: expected an object with 'chosen'"),
            ('{"chosen": "x", "rejected": "x"}', "Row 2: chosen and rejected are"),
        ],
    )
    def test_lines_that_are_different(self, line, said):
        with pytest.raises(DataError, match=said):
            read('{"chosen": "x", "rejected": "y"}\n' + line)


class TestStudies:
    HEAD = "participant,form,item_1,item_2,item_3,answer\n"

    def test_all_forms_become_comparisons(self):
        found = read(
            self.HEAD + "p,pair,x,y,,right\np,pair,x,y,,skip\np,pair,x,z,,tie\n"
            'p,best-worst,x,y,z,"item_3 best, item_1 worst"\n'
            "q,ranking,x,y,z,item_2 > item_1 > item_3\nq,rating,x,,,3\nq,rating,y,,,5\n"
        )
        assert found.format == "answers of a study"
        assert len(found.answers) == 1 + 1 + 3 + 3 + 1
        assert pairs_of(found)[0] == ("y", "x", False)  # the ratings of q

    def test_ratings_alone_stay_ratings(self):
        found = read(self.HEAD + "p,rating,x,,,3\np,rating,y,,,5\n")
        assert isinstance(found.answers, Ratings)

    def test_other_words(self):
        with pytest.raises(
            DataError, match="Row 2: column 'answer' says 'up'; expected"
        ):
            read(self.HEAD + "p,pair,x,y,,up\n")
        with pytest.raises(DataError, match="all questions were skipped"):
            read(self.HEAD + "p,pair,x,y,,skip\n")


class TestFiles:
    def test_a_file_and_what_is_none(self, tmp_path):
        path = tmp_path / "answers.csv"
        path.write_text("winner,loser\na,b\n")
        assert len(read_answers(path)) == 1
        with pytest.raises(DataError, match="There is no file"):
            read_answers(tmp_path / "nothing.csv")

    def test_formats_that_nobody_knows_list_those_we_do(self):
        with pytest.raises(
            DataError, match=r"has the columns colour, size.*winner, los"
        ):
            read("colour,size\nred,1\n")

    def test_nothing_and_no_text(self):
        with pytest.raises(DataError, match="empty"):
            read(" ")
        with pytest.raises(DataError, match="Row 2: the file is not UTF-8"):
            read_answers(b"winner,loser\n\xff,a\n")

    def test_a_header_alone(self):
        with pytest.raises(DataError, match="no rows below the header"):
            read("winner,loser\n")

    def test_a_user_that_is_missing(self):
        with pytest.raises(DataError, match="Row 3: column 'user' is empty"):
            read("user,winner,loser\nu,a,b\n,a,b\n")

    def test_rankings_are_no_comparisons_of_another_kind(self):
        assert isinstance(read("ranking,place,item\n1,1,x\n1,2,y\n").told, Rankings)

    def test_a_workbook(self, tmp_path):
        frame = pd.DataFrame({"winner": ["a"], "loser": ["b"]})
        frame.to_excel(tmp_path / "answers.xlsx", index=False)
        assert read_answers(tmp_path / "answers.xlsx").names == ("a", "b")


def test_weights_are_kept():
    found = read("winner,loser,weight,tie\na,b,2.5,False\nb,a,1,True\n")
    assert np.allclose(found.answers.weights, [2.5, 1.0])
    assert found.answers.ties.tolist() == [False, True]
