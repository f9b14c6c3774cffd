package command

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// programs is the table of the programs that only read and print, with their options. What an option's letter takes
// must be exactly what the program thinks: an option that is said to have a value and has none would hide the one
// behind it.
var programs = map[string]options{
	"arch":     {words: 1},
	"basename": {letters: "az", valued: "s", flags: long("multiple suffix= zero")},
	"cat": {
		letters: "AbEensTtuv",
		flags:   long("number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank"),
	},
	"cksum":  {},
	"cmp":    {letters: "bls", valued: "in", flags: long("bytes= ignore-initial= print-bytes quiet silent verbose")},
	"column": {letters: "tx", valued: "cs", flags: long("table separator=")},
	"comm":   {letters: "123z", flags: long("nocheck-order check-order total output-delimiter=")},
	"cut": {
		letters: "snz", valued: "bcdf",
		flags: long("bytes= characters= complement delimiter= fields= only-delimited output-delimiter="),
	},
	"date": {
		letters: "uR", valued: "dr", optional: "I", flags: long(
			"date= iso-8601 reference= rfc-3339= rfc-email utc universal",
		),
		whole: func(args []string) bool { return !setsTheClock(args) },
	},
	"df": {
		letters: "ahHiklPT", valued: "tx",
		flags: long("all human-readable inodes local print-type si total type= exclude-type="),
	},
	"diff": {letters: "abBcdeEinNpPqrstTuwyZ", valued: "CFIUWxX", flags: long(`brief color context exclude= exclude-from= expand-tabs
		ignore-all-space ignore-blank-lines ignore-case ignore-matching-lines= ignore-space-change ignore-tab-expansion
		ignore-trailing-space label= minimal new-file no-dereference recursive report-identical-files show-c-function
		show-function-line= side-by-side speed-large-files strip-trailing-cr suppress-common-lines text unified width=`)},
	"dirname": {letters: "z", flags: long("zero")},
	"du": {letters: "0abcDHhklLmPsSx", valued: "dt", flags: long(`all apparent-size block-size= bytes count-links dereference exclude=
		human-readable inodes max-depth= null one-file-system separate-dirs si summarize threshold= total`)},
	"echo":   {free: true},
	"egrep":  grep,
	"env":    {words: 1},
	"expand": {letters: "i", valued: "t"},
	"false":  {free: true},
	"fgrep":  grep,
	"file": {
		letters: "bhikLNnrv0", valued: "F",
		flags: long("brief dereference mime mime-encoding mime-type no-dereference raw separator="),
	},
	"find":  find,
	"fold":  {letters: "bs", valued: "w", flags: long("bytes spaces width=")},
	"git":   git,
	"go":    golang,
	"gofmt": {letters: "dels"},
	"grep":  grep,
	"head": {
		letters: "qvz", valued: "cn", count: true, flags: long("bytes= lines= quiet silent verbose zero-terminated"),
	},
	"hexdump":  {letters: "bCcdovx", valued: "ns"},
	"id":       {letters: "Ggnru", flags: long("group groups name real user")},
	"join":     {letters: "iz", valued: "12aejotv"},
	"ls":       ls,
	"md5sum":   checksum,
	"nl":       {letters: "p", valued: "bdfhilnsvw"},
	"nproc":    {flags: long("all ignore=")},
	"od":       {letters: "abcdfilosvx", valued: "AjNt"},
	"paste":    {letters: "sz", valued: "d", flags: long("delimiters= serial")},
	"printenv": {letters: "0", flags: long("null")},
	"printf":   {free: true},
	"ps":       {letters: "AaefHjlTuxw", valued: "CopU"},
	"pwd":      {letters: "LP", words: 1},
	"readlink": {
		letters: "efmnqsvz", flags: long("canonicalize canonicalize-existing canonicalize-missing no-newline zero"),
	},
	"realpath": {
		letters: "eLmPqsz",
		flags: long(
			"canonicalize-existing canonicalize-missing logical physical relative-base= relative-to= strip zero",
		),
	},
	"rev":       {},
	"rg":        rg,
	"sed":       {free: true, whole: printsLines},
	"seq":       {letters: "w", valued: "fs", count: true},
	"sha1sum":   checksum,
	"sha256sum": checksum,
	"sha512sum": checksum,
	"sort": {letters: "bcCdfghiMmnRrsuVz", valued: "kt", flags: long(`check field-separator= general-numeric-sort human-numeric-sort
		ignore-case ignore-leading-blanks key= merge month-sort numeric-sort reverse stable unique version-sort zero-terminated`)},
	"stat":    {letters: "fLt", valued: "c", flags: long("dereference file-system format= printf= terse")},
	"strings": {letters: "af", valued: "ent", flags: long("all bytes= encoding= print-file-name radix=")},
	"tac":     {letters: "br", valued: "s"},
	"tail": {
		letters: "qvz", valued: "cn", count: true, flags: long("bytes= lines= quiet silent verbose zero-terminated"),
	},
	"test": {free: true},
	"[":    {free: true},
	"tr":   {letters: "cCdst", flags: long("complement delete squeeze-repeats truncate-set1")},
	"tree": {
		letters: "aACdDFfghilnNpQqrsStuUvx", valued: "ILP", separate: true,
		flags: long("dirsfirst du gitignore noreport prune si"),
	},
	"true":     {free: true},
	"tty":      {words: 1},
	"uname":    {letters: "aimnoprsv", flags: long("all machine kernel-name kernel-release"), words: 1},
	"unexpand": {letters: "a", valued: "t"},
	"uniq": {letters: "cDdiuz", valued: "fsw", words: 2, // a second file would be written
		flags: long(
			"all-repeated check-chars= count ignore-case repeated skip-chars= skip-fields= unique zero-terminated",
		)},
	"uptime": {letters: "ps", words: 1},
	"wc":     {letters: "cLlmw", flags: long("bytes chars lines max-line-length words")},
	"which":  {letters: "a"},
	"whoami": {words: 1},

	"bash": versioned(""), "cargo": versioned("-V"), "cc": versioned("-v"), "clang": versioned("-v"),
	"cmake": versioned("-version"), "g++": versioned("-v"), "gcc": versioned("-v"), "java": versioned("-version"),
	"javac": versioned("-version"), "make": versioned("-v"), "node": versioned("-v"), "perl": versioned("-v -V"),
	"python": versioned("-V"), "python3": versioned("-V"),
	"ruby": versioned(""), "rustc": versioned("-V"), "rustfmt": versioned("-V"),
}

// versioned is for programs that do much more, of which only the version is harmless: by --version, or by what they
// call it besides. The -v of a shell or of Python is none of these: they run what they read.
func versioned(also string) options { return options{never: true, alone: long("--version " + also)} }

var checksum = options{
	letters: "bctwz", flags: long("binary check ignore-missing quiet status strict tag text warn zero"),
}

var ls = options{
	letters: "AaBbCcdFfGgHhikLlmNnopQqRrSstUuvXx1", valued: "ITw",
	flags: long(`all almost-all author classify color dereference directory file-type format= full-time group-directories-first hide=
		human-readable ignore= indicator-style= inode no-group numeric-uid-gid quote-name recursive reverse si size sort= time= time-style= width=`),
}

var grep = options{
	letters: "abcEFGHhILlnoPqRrsTUvwxyiZz", valued: "ABCDdefm", count: true,
	flags: long(`after-context= basic-regexp before-context= binary-files= byte-offset color colour context= count dereference-recursive
		devices= directories= exclude= exclude-dir= exclude-from= extended-regexp file= files-with-matches files-without-match fixed-strings
		ignore-case include= initial-tab invert-match label= line-buffered line-number line-regexp max-count= no-filename no-ignore-case
		no-messages null null-data only-matching perl-regexp quiet recursive regexp= silent text with-filename word-regexp`),
}

// rg would run programs with --pre, --search-zip and --hostname-bin.
var rg = options{
	letters: "aFHhIiLlNnoPpqSsUuvwxc0.b", valued: "ABCEegjMmrTtdf",
	flags: long(`after-context= before-context= byte-offset case-sensitive color= column context= count count-matches files files-with-matches
		files-without-match fixed-strings follow glob= heading hidden iglob= ignore-case include-zero invert-match json line-number line-regexp
		max-columns= max-count= max-depth= multiline multiline-dotall no-config no-filename no-heading no-ignore no-ignore-vcs no-line-number
		no-messages null only-matching passthru pcre2 quiet regexp= replace= smart-case sort= sortr= stats text threads= trim type= type-list
		type-not= unrestricted version vimgrep with-filename word-regexp`),
}

// find would run programs with -exec and its kin, and write files with -fprint and its kin.
var find = options{
	single: true,
	flags: long(`H L P a amin= and anewer= atime= cmin= cnewer= ctime= d daystart depth empty executable false follow group= iname= inum= ipath=
		iregex= links= ls maxdepth= mindepth= mmin= mount mtime= name= newer= nogroup noleaf not nouser o or path= perm= print print0 printf=
		prune quit readable regex= regextype= samefile= size= true type= uid= user= wholename= writable xdev xtype=`),
}

var golang = options{single: true, subs: map[string]options{
	"doc":     {single: true, flags: long("all c cmd short src u")},
	"env":     {single: true, flags: long("changed json")},
	"help":    {},
	"list":    {single: true, flags: long("deps e f= find json m tags= test versions")},
	"mod":     {subs: map[string]options{"graph": {}, "verify": {}, "why": {single: true, flags: long("m vendor")}}},
	"version": {single: true, flags: long("m v")},
	// it takes -vettool wherever it is, also for a value
	"vet": {single: true, attached: true, flags: long("c= json tags= v")},
}}

func long(words string) []string { return strings.Fields(words) }

// setsTheClock reports whether date gets a word that is no format: the time to set.
func setsTheClock(args []string) bool {
	for i, arg := range args {
		value := i > 0 && slices.Contains([]string{"-d", "-r", "--date", "--reference", "--rfc-3339"}, args[i-1])
		if !value && !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "+") {
			return true
		}
	}
	return false
}

var printed = lazyregexp.New(`^[0-9]*(\$|,[0-9]+|,\$|,\+[0-9]+)?p(;[0-9]*(\$|,[0-9]+|,\$|,\+[0-9]+)?p)*$`)

// printsLines reports whether sed only prints lines by their numbers: other scripts can write files and run programs.
func printsLines(args []string) bool {
	option := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	return len(args) >= 2 && args[0] == "-n" && printed().MatchString(args[1]) && !slices.ContainsFunc(args[2:], option)
}
