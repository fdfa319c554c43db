/* Load - sends a load by JDBC, `java -cp DRIVER.jar Load.java mariadb | postgresql`; the environment as for load.py. */
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Load {
	static String env(String name) {
		return System.getenv("MATRIX_" + name);
	}

	static String url(String driver) {
		boolean tls = env("MODE").equals("tls");

		if (driver.equals("postgresql"))
			return "jdbc:postgresql://127.0.0.1:" + env("PORT") + "/shop?prepareThreshold=1&user=" + env("USER") +
				(tls ? "&sslmode=require&sslfactory=org.postgresql.ssl.NonValidatingFactory" : "&sslmode=disable");
		return "jdbc:mariadb://127.0.0.1:" + env("PORT") + "/shop?useServerPrepStmts=true&user=" + env("USER") +
			(tls ? "&useSsl=true&trustServerCertificate=true" : "&useSsl=false") +
			(env("MODE").equals("zlib") ? "&useCompression=true" : "");
	}

	public static void main(String[] args) throws Exception {
		List<String> hows = List.of(env("HOWS").split(","));
		List<String[]> lines = new ArrayList<>();
		Map<String, PreparedStatement> prepared = new HashMap<>();
		int first = Integer.parseInt(env("FIRST")), end = first + Integer.parseInt(env("ROUNDS"));

		for (String line : Files.readAllLines(Path.of(env("LOAD"))))
			if (!line.startsWith("#") && hows.contains(line.split("\t")[1]))
				lines.add(line.split("\t"));
		try (Connection db = DriverManager.getConnection(url(args[0])); Statement plain = db.createStatement()) {
			for (int i = first; i < end; i++)
				for (String[] line : lines)
					if (i % Integer.parseInt(line[0]) == 0)
						send(db, plain, prepared, line[1], line[2], i);
		}
	}

	static void send(Connection db, Statement plain, Map<String, PreparedStatement> prepared, String how, String text, int i)
			throws SQLException {
		if (how.equals("prepared")) {
			PreparedStatement statement = prepared.get(text);

			if (statement == null) {
				statement = db.prepareStatement(text.replace("$1", "?"));
				prepared.put(text, statement);
			}
			statement.setInt(1, i);
			statement.execute();
			return;
		}
		try {
			plain.execute(text.replace("%d", Integer.toString(i)));
		} catch (SQLException error) {
			if (!how.equals("fails"))
				throw error;
		}
	}
}
