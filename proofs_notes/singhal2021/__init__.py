"""Checks of the claims of singhal2021, a module a section of the paper.

Exact statements are about integer data and, where noise matters, about integer noise with e^epsilon a fraction.
`small_domains.SmallDomain` computes scores from their definition, not by the transcription, and is what the exhaustive
checks run on.
T1 to T6 are steps of Theorem C in proofs_notes/singhal2021/note.md.
"""
