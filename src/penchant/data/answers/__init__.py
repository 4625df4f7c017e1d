"""Answers from files and to files: one small reader per format."""

from penchant.data.answers._common import AnswerFile, Answers
from penchant.data.answers._read import read_answers
from penchant.data.answers._write import write_answers

__all__ = ["AnswerFile", "Answers", "read_answers", "write_answers"]
