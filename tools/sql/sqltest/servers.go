package sqltest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The accounts that each server has, all with Password. The names are for those who read a test: what each may do.
const (
	Reader   = "reader"   // reads every table, and no more
	Clerk    = "clerk"    // reads every table, and may also add rows to app_settings
	Owner    = "owner"    // may do anything in the database
	Password = "pa55word" //nolint:gosec // of databases that live as long as a test
	Name     = "company"  // of the database
)

// Server is a running database server on the loopback address.
type Server struct {
	Host string
	Port int

	process *exec.Cmd
	stop    os.Signal
	ended   chan struct{}
}

// startLimit is how long a server may take until it takes connections.
const startLimit = time.Minute

// NewSQLite makes the file of a SQLite database, with Python's own library: nothing else here writes one.
func NewSQLite(ctx context.Context, file string) error {
	const script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.executescript(sys.stdin.read()); " +
		"d.commit()"
	c := exec.CommandContext(ctx, "python3", "-c", script, file) //nolint:gosec // a test's own
	c.Stdin = strings.NewReader("BEGIN;\n" + strings.Join(Statements(SQLite), ";\n") + ";\nCOMMIT;\n")
	return output(c)
}

// StartPostgres starts PostgreSQL from the programs in bin, with its files in the new folder dir.
func StartPostgres(ctx context.Context, bin, dir string) (*Server, error) {
	data, postgres := filepath.Join(dir, "data"), filepath.Join(bin, "postgres")
	// Nobody logs in as the superuser over the network: only local connections, of which there are none, are trusted.
	err := output(unprivileged(exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "admin", "-E", "UTF8", "--no-locale", "--no-sync", //nolint:gosec // a test's own
		"--auth-local=trust", "--auth-host=scram-sha-256")))
	if err != nil {
		return nil, err
	}
	// Without a server each statement is a process's own input: in this mode one ends with a semicolon and an empty
	// line.
	feed := func(database string, statements []string) error {
		c := unprivileged(exec.CommandContext(ctx, postgres, "--single", "-j", "-D", data, "-c", "fsync=off", "-c", "exit_on_error=on", database)) //nolint:gosec // likewise
		c.Stdin = strings.NewReader(strings.Join(statements, ";\n\n") + ";\n\n")
		return output(c)
	}
	if err := feed("postgres", []string{"CREATE DATABASE " + Name}); err != nil {
		return nil, err
	}
	statements := append(Statements(Postgres), //nolint:gocritic // a new list each time
		accounts("CREATE ROLE %s LOGIN PASSWORD '%s'")+"; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader, clerk",
		"GRANT INSERT ON app_settings TO clerk", "GRANT ALL ON ALL TABLES IN SCHEMA public TO owner",
		"GRANT ALL ON SCHEMA public TO owner",
		"GRANT CREATE ON DATABASE "+Name+" TO owner")
	if err := feed(Name, statements); err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	c := unprivileged(exec.Command(postgres, "-D", data, "-h", "127.0.0.1", "-p", fmt.Sprint(port), "-k", "", "-c", "fsync=off", "-c", "max_connections=20")) //nolint:gosec,noctx // likewise; Stop ends it
	return start(c, port, "ready to accept connections", syscall.SIGINT)
}

// StartMariaDB starts MariaDB from the programs below base, with its files in the new folder dir.
func StartMariaDB(ctx context.Context, base, dir string) (*Server, error) {
	data, daemon := filepath.Join(dir, "data"), filepath.Join(base, "sbin", "mariadbd")
	options := []string{"--no-defaults", "--basedir=" + base, "--datadir=" + data}
	if os.Geteuid() == 0 {
		options = append(options, "--user=root")
	}
	err := output(exec.CommandContext(ctx, filepath.Join(base, "bin", "mariadb-install-db"), //nolint:gosec // a test's own
		append(options, "--auth-root-authentication-method=normal", "--skip-test-db")...))
	if err != nil {
		return nil, err
	}
	statements := append([]string{"CREATE DATABASE " + Name, "USE " + Name}, Statements(MariaDB)...)
	statements = append(statements, "FLUSH PRIVILEGES", accounts("CREATE USER '%s'@'127.0.0.1' IDENTIFIED BY '%s'"),
		"GRANT SELECT ON company.* TO 'reader'@'127.0.0.1'", "GRANT SELECT ON company.* TO 'clerk'@'127.0.0.1'",
		"GRANT INSERT ON company.app_settings TO 'clerk'@'127.0.0.1'", "GRANT ALL ON company.* TO 'owner'@'127.0.0.1'")
	c := exec.CommandContext(ctx, daemon, append(options, "--bootstrap")...) //nolint:gosec // likewise
	c.Stdin = strings.NewReader(strings.Join(statements, ";\n") + ";\n")
	if err := output(c); err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	// A path to a socket may have 107 bytes, which folders of tests may have themselves.
	options = append(
		options, "--bind-address=127.0.0.1", "--skip-name-resolve", "--socket=s", fmt.Sprintf("--port=%d", port),
	)
	return start(exec.Command(daemon, options...), port, "ready for connections", syscall.SIGTERM) //nolint:gosec,noctx // likewise; Stop ends it
}

// accounts are the statements that make all accounts, by the form of one.
func accounts(form string) string {
	var list []string
	for _, name := range []string{Reader, Clerk, Owner} {
		list = append(list, fmt.Sprintf(form, name, Password))
	}
	return strings.Join(list, ";\n\n")
}

// output runs a program to its end; the error has the end of what it printed.
func output(c *exec.Cmd) error {
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", c.Path, err, out[max(0, len(out)-1000):])
	}
	return nil
}

func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil //nolint:forcetypeassert // of a TCP listener
}

// start starts a server and waits until its log says that it is ready. Stop ends it.
func start(c *exec.Cmd, port int, ready string, stop os.Signal) (*Server, error) {
	log, err := c.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &Server{Host: "127.0.0.1", Port: port, process: c, stop: stop, ended: make(chan struct{})}
	isReady := make(chan bool, 1)
	var said strings.Builder
	go func() {
		defer close(s.ended)
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			if strings.Contains(lines.Text(), ready) {
				isReady <- true
				break
			}
			said.WriteString(lines.Text() + "\n")
		}
		_, _ = io.Copy(io.Discard, log)
		_ = c.Wait()
	}()
	select {
	case <-isReady:
		return s, nil
	case <-s.ended:
		return nil, errors.New("the database server ended: " + said.String())
	case <-time.After(startLimit):
		s.Stop()
		return nil, errors.New("the database server did not start in time")
	}
}

// Stop ends the server and waits for it. It may be called again.
func (s *Server) Stop() {
	_ = s.process.Process.Signal(s.stop)
	select {
	case <-s.ended:
	case <-time.After(10 * time.Second):
		_ = s.process.Process.Kill()
		<-s.ended
	}
}
