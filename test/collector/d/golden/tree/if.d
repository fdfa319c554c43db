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
	trace(y)
}
