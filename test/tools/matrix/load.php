<?php
// load.php - sends a load by PHP's mysqli; the environment as for load.py.
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$mode = getenv("MATRIX_MODE");
$hows = explode(",", getenv("MATRIX_HOWS"));
$flags = $mode === "tls" ? MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT : ($mode === "zlib" ? MYSQLI_CLIENT_COMPRESS : 0);
$db = mysqli_init();
$db->real_connect("127.0.0.1", getenv("MATRIX_USER"), "", "shop", (int)getenv("MATRIX_PORT"), null, $flags);
$lines = [];
foreach (file(getenv("MATRIX_LOAD"), FILE_IGNORE_NEW_LINES) as $line) {
	if ($line[0] !== "#" && in_array(explode("\t", $line)[1], $hows))
		$lines[] = explode("\t", $line);
}
$prepared = [];
$first = (int)getenv("MATRIX_FIRST");
for ($i = $first; $i < $first + (int)getenv("MATRIX_ROUNDS"); $i++) {
	foreach ($lines as [$every, $how, $text]) {
		if ($i % $every)
			continue;
		try {
			if ($how === "prepared") {
				$prepared[$text] ??= $db->prepare($text);
				$prepared[$text]->execute([$i]);
				$result = $prepared[$text]->get_result();
			} else {
				$result = $db->query(str_replace("%d", $i, $text));
			}
			if ($result instanceof mysqli_result)
				$result->fetch_all();
		} catch (mysqli_sql_exception $error) {
			if ($how !== "fails")
				throw $error;
		}
	}
}
foreach ($prepared as $statement)
	$statement->close();
$db->close();
