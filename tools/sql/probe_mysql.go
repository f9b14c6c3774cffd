package sql

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// readingRights are what a user of MySQL or MariaDB may have.
var readingRights = []string{"USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES"}

func (d *database) probeMySQL(ctx context.Context) (session, error) {
	grants, err := d.ask(ctx, "SHOW GRANTS")
	if err != nil {
		return nil, err
	}
	for _, g := range grants {
		if len(g) != 1 {
			return nil, fmt.Errorf("the rights of the database %s cannot be read", d.Name)
		}
		if right := beyondReading(g[0].value); right != "" {
			return nil, fmt.Errorf("the database %s is not used: its user %s has the right %s; "+
				"make one that only reads: CREATE USER 'reader'@'%%' IDENTIFIED BY '…'; "+
				"GRANT SELECT, SHOW VIEW ON %s.* TO 'reader'@'%%'", d.Name, d.User, right, d.Database)
		}
	}
	tables, err := d.ask(
		ctx,
		"SELECT CONCAT('`', REPLACE(table_name, '`', '``'), '`') AS name FROM information_schema.tables WHERE "+
			"table_schema = DATABASE() AND table_type = 'BASE TABLE' LIMIT 1",
	)
	if err != nil {
		return nil, err
	}
	table := "mysql.user"
	if len(tables) == 1 {
		table = tables[0].of("name")
	}
	if err := d.refuses(
		ctx, "DELETE FROM "+table+" WHERE 0", "Error 1142", "Error 1044", "Error 1290", "Error 1836",
	); err != nil {
		return nil, err
	}
	return d.sessionOfMySQL(ctx)
}

// beyondReading is a right in a line of SHOW GRANTS that is more than reading; empty: there is none. The line may hold
// the hash of a password.
func beyondReading(grant string) string {
	rights, after, found := strings.Cut(strings.TrimPrefix(grant, "GRANT "), " ON ")
	if !found {
		return "of a role, which is not looked into: grant the rights to the user"
	}
	if strings.Contains(after, "GRANT OPTION") {
		return "GRANT OPTION"
	}
	depth := 0
	begin := 0
	for i := 0; i <= len(rights); i++ {
		switch {
		case i == len(rights) || rights[i] == ',' && depth == 0:
			right, _, _ := strings.Cut(rights[begin:i], "(")
			if right = strings.ToUpper(strings.TrimSpace(right)); !slices.Contains(readingRights, right) {
				return right
			}
			begin = i + 1
		case rights[i] == '(':
			depth++
		case rights[i] == ')':
			depth--
		}
	}
	return ""
}

// sessionOfMySQL finds how this MySQL or MariaDB calls what bounds a statement and makes transactions read only.
func (d *database) sessionOfMySQL(ctx context.Context) (session, error) {
	rows, err := d.ask(
		ctx,
		"SHOW VARIABLES WHERE Variable_name IN ('max_statement_time', 'max_execution_time', 'transaction_read_only', "+
			"'tx_read_only')",
	)
	if err != nil {
		return nil, err
	}
	s := session{}
	for _, r := range rows {
		switch variable := r.of("Variable_name"); variable {
		case "max_statement_time": // of MariaDB, in seconds
			s["LIMIT"], s["LIMIT_VALUE"] = variable, fmt.Sprint(d.limit.Seconds())
		case "max_execution_time": // of MySQL
			s["LIMIT"], s["LIMIT_VALUE"] = variable, fmt.Sprint(d.limit.Milliseconds())
		case "transaction_read_only", "tx_read_only":
			s["ACCESS"], s["ACCESS_VALUE"] = variable, "1"
		}
	}
	return s, nil
}
