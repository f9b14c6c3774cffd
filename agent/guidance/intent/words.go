package intent

// The words of English by which requests are told apart.
var (
	changeVerbs = []string{
		"add", "append", "insert", "put", "write", "create", "make", "generate", "set", "change", "update", "edit", "modify", "replace", "rename", "move",
		"delete", "remove", "drop", "fix", "correct", "repair", "implement", "refactor", "rewrite", "convert", "turn", "give", "call", "bump", "increase", "decrease",
		"raise", "lower", "sort", "format", "clean", "split", "merge", "copy", "extract", "inline", "comment", "uncomment", "document", "enable", "disable", "extend",
		"switch", "revert", "restore", "save", "apply", "throw", "get", "cut", "shorten", "tidy", "mark", "tick", "swap", "go", "solve",
	}
	requests = []string{
		"can you", "could you", "would you", "will you", "can we", "could we", "can u", "could u", "would u", "i want you to", "i'd like you", "i need you to", "you should",
		"go ahead and", "make sure to", "be so kind to", "would you mind", "would you please", "please can you", "let us", "we should", "you can", "you could",
	}
	fillers = []string{
		"please", "pls", "hey", "hi", "hello", "ok", "okay", "so", "now", "and", "then", "also", "just", "well", "oh", "no", "yes", "alright", "great", "good",
		"thanks", "kindly", "finally", "first", "next", "but", "to", "maybe", "perhaps", "let's", "lets", "quickly", "simply",
	}
	// or how one begins.
	subjects   = []string{"i", "you", "we", "they", "these", "those", "all", "any", "the", "our", "my", "your"}
	modalWords = []string{
		"can", "could", "would", "should", "will", "may", "might", "must", "can't", "couldn't", "wouldn't", "shouldn't",
		"won't",
	}
	questionWords = []string{
		"what", "what's", "whats", "which", "who", "who's", "whose", "whom", "where", "where's", "when", "why", "how", "is", "are", "was", "were", "do", "does", "did",
		"has", "have", "had", "can", "could", "would", "should", "will", "may", "might", "must", "isn't", "aren't", "doesn't", "don't", "didn't",
	}
	prepositions = []string{
		"about", "after", "at", "before", "by", "for", "from", "in", "into", "of", "on", "since", "through", "to",
		"under", "until", "with", "within",
	}
	tellVerbs = []string{
		"tell", "show", "explain", "describe", "list", "find", "count", "compare", "summarize", "summarise", "translate", "suggest", "recommend", "look", "check",
		"search", "print", "read", "say", "define", "name", "calculate", "compute", "analyze", "analyse", "review", "help", "spell", "guess",
	}
	writeVerbs  = []string{"write", "create", "make", "generate", "give"}
	shownThings = []string{
		"me", "poem", "haiku", "joke", "mail", "email", "e-mail", "letter", "example", "examples", "sentence", "sentences", "synonym", "word", "words", "story", "limerick", "summary",
		"overview", "list", "idea", "ideas", "tip", "tips", "name", "names",
	}
)

// hereWords say that a message is about the folder that its writer works in.
const hereWords = `our|ours|we|we're|here|file|files|folder|folders|directory|directories|workspace|project|repo|repository|codebase|todo|todos|readme|changelog|makefile|` +
	`(the|this|that|these|those|which|each|every|any|all|no) (code|program|app|application|site|website|page|pages|library|crate|package|module|class|function|method|script|scripts|test|tests|config|configuration|settings|` +
	`setting|table|list|database|data|server|build|docs|documentation|default|version|line|lines|type|types|feature|features|error|errors|option|options|command|commands)`

// kinds are things of which a folder has some: a message may also speak of one that is in no folder.
const kinds = `file|folder|directory|program|script|function|class|list|table|server|database|page|website|test|line|command|type|repo|repository|project|app`

// units are those that people convert.
const units = `km|kilometers?|kilometres?|m|meters?|metres?|cm|mm|miles?|feet|foot|ft|inch(es)?|yards?|kg|kilos?|kilograms?|g|grams?|mg|lbs?|pounds?|ounces?|oz|l|liters?|litres?|ml|cups?|gallons?|` +
	`celsius|fahrenheit|c|f|degrees|hours?|minutes?|seconds?|days?|weeks?|months?|years?|bytes?|kb|mb|gb|tb|usd|eur|dollars?|euros?|binary|hex|hexadecimal|decimal|octal`

// generalWords say that a message is about the world, not about a folder.
const generalWords = `in general|generally|usually|typically|what does .{1,40} mean|meaning of|translate|translation|how (do|would) (you|i|one) (say|spell|pronounce)|joke|haiku|poem|limerick|story|word for|plural of|` +
	`difference between|vs\.?|versus|(python|go|golang|rust|javascript|typescript|css|html|bash|shell|docker|sql|git|linux) question|(here|only|just) in (the|this|your) (chat|answer|reply)|(a|an) (python|go|rust|javascript|typescript|css|html|bash|shell|docker|sql) |(with|using) (cargo|git|npm|pip|docker|make)|not ours|recommend|suggest|synonym|how are you|in (css|html|javascript|typescript|python|go|golang|rust|c|java|sql|bash|git|docker|linux|english|german|french|spanish|italian|a shell script|a dockerfile)`

// smallTalk are words of messages that want nothing but an answer in kind.
const smallTalk = `thanks|thank you|thx|cheers|hello|hi|hey|good (morning|night|evening)|bye|goodbye|nice to meet|well done|great|perfect|awesome`

// english are words by which English is known.
const english = `the|is|are|does|did|what|whats|what's|how|which|who|where|why|when|can|could|you|of|to|and|for|my|your|have|thanks|thank|thx|hi|hello|hey|cheers|it|this|that`
