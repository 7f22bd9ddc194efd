"""Tables of inference beside the estimates: how they are made."""

from draligned.measure import (
    agreement,
    classes,
    leave_out,
    recurrence,
    simultaneous,
    variance,
)

MAKERS = {
    **agreement.MAKERS,
    **simultaneous.MAKERS,
    **leave_out.MAKERS,
    **classes.MAKERS,
    **recurrence.MAKERS,
    **variance.MAKERS,
}
"""Layouts and makers of all of them."""
