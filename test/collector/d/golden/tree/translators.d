struct in { int a; struct in *next; };
typedef struct out { int pr_a; string pr_name; } out_t;
translator out_t < struct in *p > {
	pr_a = p->a + p->next->a;
	pr_name = "x";
};
provider mysql {
	probe query__start(char *, unsigned long, char *, char *, char *);
	probe query__done(int status) : (int);
};
BEGIN { trace(xlate <out_t>((struct in *)arg0).pr_a); }
