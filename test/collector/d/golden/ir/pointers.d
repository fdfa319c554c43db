struct part { short s[4]; };
struct whole { int bits : 5; struct part part[2]; char name[6]; struct whole *next; };
struct whole *w;

BEGIN
{
	w = (struct whole *)copyin(arg0, sizeof (struct whole));
	trace(w->bits);
	trace(w->next->part[1].s[arg1]);
	trace(*(w + 1)->name);
	trace(w->name);
	trace(w - (struct whole *)arg1);
}
