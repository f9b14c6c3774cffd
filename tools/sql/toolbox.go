package sql

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/userstate"
)

// configurations are files of the Toolbox, one for each kind of databases. They hold nothing of a user's: all values
// are variables.
//
//go:embed toolbox/*.yaml
var configurations embed.FS

// ErrNoToolbox says that the program is not there, and how to get it.
var ErrNoToolbox = errors.New("the MCP Toolbox is not installed: it is a program by Google of some 300 MB, which `npm install --global @toolbox-sdk/server` brings " +
	"(or put it on PATH as toolbox, or name it in the setting toolbox)")

// FindToolbox finds the Toolbox: the one that the setting names, one in the cache folder, one on PATH but not in the
// workspace or in another of the folders.
func FindToolbox(setting string, folders ...string) (string, error) {
	if setting != "" {
		path, err := diskfile.FromHome(setting)
		if err == nil && !filepath.IsAbs(path) {
			err = errors.New("it must be a path from / or ~/ on")
		}
		if err == nil && !isProgram(path) {
			err = errors.New("there is no program")
		}
		if err != nil {
			return "", fmt.Errorf("the setting toolbox names %q: %w", setting, err)
		}
		return path, nil
	}
	program := "toolbox"
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if cache, err := os.UserCacheDir(); err == nil {
		if path := filepath.Join(cache, "assent", "toolbox", program); isProgram(path) {
			return path, nil
		}
	}
	path, err := runner.Find(program, os.Getenv("PATH"), "")
	if err != nil {
		return "", ErrNoToolbox
	}
	for _, folder := range folders {
		if _, err := runner.Find(program, os.Getenv("PATH"), folder); errors.Is(err, runner.ErrInside) {
			return "", errors.New("the toolbox that PATH leads to lies in the workspace, whose programs are not used: name another one in the setting toolbox")
		}
	}
	return path, nil
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// ToolboxVersion asks the program for its version, as `assent doctor` says it.
func ToolboxVersion(ctx context.Context, n *network.Network, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, program, "--version") //nolint:gosec // the user's own program
	c.Env = []string{"PATH=" + os.Getenv("PATH")}       // it may be a script of npm
	c.WaitDelay = time.Second
	var out bytes.Buffer
	c.Stdout = &out
	err := n.Start(c)
	if err == nil {
		err = c.Wait()
	}
	if err != nil {
		return "", fmt.Errorf("%s does not say its version: %w", program, err)
	}
	version, found := strings.CutPrefix(strings.TrimSpace(out.String()), "toolbox version ")
	if !found {
		return "", fmt.Errorf("%s is another program than the MCP Toolbox", program)
	}
	return version, checkVersion(program, "Toolbox", version)
}

// checkVersion says what is wrong with a program that should be a Toolbox 1.
func checkVersion(program, name, version string) error {
	switch {
	case name != "Toolbox":
		return fmt.Errorf("%s is another program than the MCP Toolbox", program)
	case !strings.HasPrefix(version, "1."):
		return fmt.Errorf(
			"%s is the MCP Toolbox %s, and Assent works with version 1: install @toolbox-sdk/server@1", program,
			strings.ToValidUTF8(version, ""),
		)
	}
	return nil
}

// start is how the Toolbox is started for a database. While it is probed (now is nil) nothing but the database itself
// refuses a write.
func (d Declaration) start(
	program string, state *userstate.State, now *session, limit time.Duration,
) (s mcp.Start, err error) {
	config := string(d.Kind) + ".yaml"
	text, err := configurations.ReadFile("toolbox/" + config)
	if err != nil {
		return s, err
	}
	file := filepath.Join(state.Dir(), "databases", config)
	if old, err := diskfile.ReadSmall(file, 1<<20); err != nil || string(old) != string(text) {
		if err := diskfile.WriteRegular(file, text); err != nil {
			return s, fmt.Errorf("the file %s cannot be written: %w", file, err)
		}
	}
	s.Argv = []string{
		program, "--stdio", "--config", file, "--disable-reload", "--disable-version-check", "--log-level", "ERROR",
	}
	s.Dir = filepath.Dir(file)
	values, secrets, err := d.values(now, limit)
	if err != nil {
		return s, err
	}
	// from there on it collects its garbage sooner
	s.Secrets, s.Env = secrets, map[string]string{"GOMEMLIMIT": strconv.Itoa(maxMemory * 3 / 4)}
	for name, value := range values {
		if s.Env["ASSENT_SQL_"+name], err = inQuotes(value); err != nil {
			return s, err
		}
	}
	if path := os.Getenv(credentials); path != "" && (d.Kind == BigQuery || d.Kind == Spanner) {
		s.Env[credentials] = path
	}
	return s, nil
}

// credentials is the variable by which Google's programs find who asks.
const credentials = "GOOGLE_APPLICATION_CREDENTIALS"

// values are what stands for the variables of a configuration.
func (d Declaration) values(now *session, limit time.Duration) (values map[string]string, secrets []string, err error) {
	values = map[string]string{
		"HOST": d.Host, "PORT": strconv.Itoa(d.Port), "DATABASE": d.Database, "PROJECT": d.Project,
		"INSTANCE":  d.Instance,
		"READ_ONLY": "off", "WRITES": "allowed", "TIMEOUT": strconv.FormatInt(limit.Milliseconds(), 10),
		// as they are by default, or nearly
		"LIMIT": "lock_wait_timeout", "LIMIT_VALUE": "30", "ACCESS": "sql_auto_is_null", "ACCESS_VALUE": "0",
		"FOUND_ROWS": "false",
	}
	if now != nil {
		values["READ_ONLY"], values["WRITES"] = "on", "blocked"
		maps.Copy(values, *now)
	}
	if values["USER"], secrets, err = mcp.Secret("user", d.User); err != nil {
		return nil, nil, err
	}
	password, more, err := mcp.Secret("password", d.Password)
	values["PASSWORD"], secrets = password, append(secrets, more...)
	switch d.Kind {
	case SQLite:
		var path string
		if path, err = diskfile.FromHome(d.Path); err == nil {
			if info, missing := os.Stat(path); missing != nil || !info.Mode().IsRegular() {
				err = fmt.Errorf("there is no file %s", d.Path)
			}
		}
		// another program may write just now
		values["DATABASE"] = "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=ro&_pragma=busy_timeout(5000)"
		if now != nil {
			values["DATABASE"] += "&_pragma=query_only(1)"
		}
		if d.changes {
			// see transaction
			values["DATABASE"] = strings.Replace(values["DATABASE"], "?mode=ro", "?mode=rw", 1) +
				"&_pragma=foreign_keys(1)&_pragma=query_only(1)"
		}
	case Postgres:
		values["TLS"] = encryptions[d.TLS].postgres
	case MySQL:
		values["TLS"] = encryptions[d.TLS].mysql
		if d.changes {
			// what is not committed is lost with the connection
			values["ACCESS"], values["ACCESS_VALUE"], values["FOUND_ROWS"] = "autocommit", "0", "true"
		}
	case BigQuery, Spanner:
	}
	return values, secrets, err
}

// inQuotes is a value as it is between the quotes of YAML, which takes the escapes of JSON.
func inQuotes(value string) (string, error) {
	if strings.ContainsRune(value, 0) {
		return "", errors.New("a value holds a zero byte")
	}
	text, err := json.Marshal(value)
	return strings.TrimSuffix(strings.TrimPrefix(string(text), `"`), `"`), err
}
