package event

import (
	"crypto/rand"
	"fmt"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/visible"
)

// AskServer asks whether the server of a model, which nobody declared, shall be used.
func AskServer(called string, at model.Listener) Question {
	name, process := visible.Line(called), "Whose process listens there is not known."
	if at.Process != "" {
		process = at.Process + " listens there."
	}
	return Question{
		ID: rand.Text(), Model: name, Host: at.Address,
		AskedCall: AskedCall{
			Target: fmt.Sprintf("%s at %s, which you did not declare", name, at.Address), Notice: process,
			Preview: fmt.Sprintf("What answers at %s of this machine says that it is a model server.\n"+
				"It was asked what it is and which models it has, and nothing else.\n"+
				"If you allow it, this chat is sent there, and so are other chats that name a model of it, without a "+
				"question.\n"+
				"It is asked again if a process of another user listens there. To give it a name of your own, "+
				"declare it in servers.json.\n",
				at.Address),
		},
	}
}

// AskElsewhere asks whether a model that runs elsewhere shall be used; by says who named it, as a sentence without its
// end.
func AskElsewhere(m model.Info, by string) Question {
	name, host := visible.Line(m.Name), visible.Line(m.Elsewhere())
	return Question{
		ID: rand.Text(), Model: name, Host: host,
		AskedCall: AskedCall{
			Target: fmt.Sprintf("%s, which runs at %s", name, host),
			Preview: fmt.Sprintf("%s does not run on your model server but at %s.\n%s.\nIf you allow it, all of this "+
				"chat is sent there: what you wrote, the list of files, "+
				"and every file and result that the model gets to see.\nIt is asked again when the server was "+
				"restarted, or if the model runs elsewhere by then.\n", name, host, by),
		},
	}
}

// AskPull asks whether a server shall fetch a model that it does not have; by says who named the model, as a sentence
// without its end.
func AskPull(name string, from model.Source, missing error, by string) Question {
	name, host := visible.Line(name), visible.Line(from.Host)
	return Question{
		ID: rand.Text(), Model: name, Host: host, Pull: true,
		AskedCall: AskedCall{
			Target: fmt.Sprintf("%s from %s", name, host),
			Preview: fmt.Sprintf("%s\n%s.\nIf you allow it, %s fetches it from %s, keeps it, and this chat is sent "+
				"to it.\n"+
				"How large it is the server says only once it has begun: some hundred megabytes to many gigabytes. "+
				"Stop ends it.\n",
				visible.Line(missing.Error()), by, visible.Line(from.Server), host),
		},
	}
}
