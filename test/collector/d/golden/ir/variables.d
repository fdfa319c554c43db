char c; self short s; this uint64_t t;
BEGIN { c += 300; self->s = c; this->t = self->s++; c = --this->t; }
BEGIN, END { printf("%d %s\n", this->t, "text"); if (c) { x = walltimestamp; } else if (self->s) { exit(1); } }
