"""Measures: pure functions from label tables to tables of results.

Requests and texts are read twice with the endpoints exchanged; what both reads say, restored to
P and Q, is a label, and everything else is UNKNOWN with a reason (`requests`, `items`,
`documents`). Labels make the Matrix (`matrix`), matched runs make pairs (`pairs`), pairs make
estimates (`panel`, `quantities`, `contrasts`), each with status, counts, intervals (`bootstrap`,
`signflip`, `robust`, `proportions`) and bounds (`bounds`). `tables.build_tables` makes them all;
`columns` says what is in them.

Nothing here measures whether an answer is good, and a factor without direction says nothing
about any other fact of the user (DR-18, DR-109).
"""
