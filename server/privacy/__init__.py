"""What may leave this machine, and what may be kept: levels, masks, the record of every send.

levels.py     off, standard, strict; the stricter of two wins
finding.py    private lines in a text
screen.py     private places on a screen, from its UI tree and from what OCR reads
picture.py    the masks, drawn on the decoded picture
cover.py      one observation with its private parts taken out: what is kept and sent
egress.py     the gate in front of the model: each body that leaves is on record first
report.py     that record, read back
"""
