BEGIN
{
	if (x > 1) {
		y = 1;
		trace(y);
	} else if (x == 0) {
		y = 2
	} else {
		y = 3;
	}
	if (x)
		if (y)
			trace(1);
		else
			trace(2);
	else if (z)
		trace(3);
	if (x) {
		trace(4)
	} else
		trace(5);
	if (x)
		;
	if (y)
		trace(y)
}
