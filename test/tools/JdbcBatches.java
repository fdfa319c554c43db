import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;

/**
 * JdbcBatches PORT BATCHES ROWS: what pgjdbc sends of batches, over TCP.
 *
 * BATCHES batches of ROWS one-column inserts, each committed by itself; then, in one transaction, 100 equal deletes, with BEGIN in or before the
 * round of the first one; then one statement that the next round must begin with.
 */
public class JdbcBatches {
	public static void main(String[] args) throws Exception {
		String url = "jdbc:postgresql://127.0.0.1:" + args[0] + "/bench?user=postgres&sslmode=disable";
		int batches = Integer.parseInt(args[1]), rows = Integer.parseInt(args[2]);

		try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
			s.execute("CREATE TABLE IF NOT EXISTS jdbc (a int)");
			try (PreparedStatement insert = c.prepareStatement("INSERT INTO jdbc VALUES (?)")) {
				for (int b = 0; b < batches; b++) {
					for (int i = 0; i < rows; i++) {
						insert.setInt(1, i);
						insert.addBatch();
					}
					insert.executeBatch();
				}
			}
			c.setAutoCommit(false);
			try (PreparedStatement delete = c.prepareStatement("DELETE FROM jdbc WHERE a = ?")) {
				for (int i = 0; i < 100; i++) {
					delete.setInt(1, 1);
					delete.addBatch();
				}
				delete.executeBatch();
			}
			c.commit();
			c.setAutoCommit(true);
			s.execute("SELECT 1 AS after_the_batches");
		}
	}
}
