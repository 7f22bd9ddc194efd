"""Studies with planted behaviour, for checking measures against a known truth.

No model and no text stands behind them; they are no evidence about any language model.
"""
