"""placeholder"""

from draligned.rehearsal.wire import Answer, Asked


def answer_as_constructor(asked: Asked) -> Answer:
    """x"""
    return Answer(text="{}")
