package quirkserver

import "encoding/json"

// played is a slot of llama.cpp's server, which keeps the prompt of its last request.
type played struct {
	task   int    // of its last request; 0: it had none
	prompt string // the first message of it
}

// place puts a chat into the slot that it asks for, else into the one that has been used longest ago, unless one has
// the same first message.
func (s *Server) place(body []byte) {
	var asked struct {
		Slot     *int `json:"id_slot"`
		Messages []struct{ Content json.RawMessage }
	}
	if json.Unmarshal(body, &asked) != nil || len(asked.Messages) == 0 {
		return
	}
	prompt := string(asked.Messages[0].Content)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.slots) < s.Slots {
		s.slots = append(s.slots, played{})
	}
	to := 0
	for i, slot := range s.slots {
		if slot.prompt == prompt {
			to = i
			break
		}
		if slot.task < s.slots[to].task {
			to = i
		}
	}
	if asked.Slot != nil && *asked.Slot < len(s.slots) {
		to = *asked.Slot
	}
	s.tasks++
	s.slots[to] = played{s.tasks, prompt}
}

// listSlots is what llama.cpp's server tells of its slots.
func (s *Server) listSlots() []object {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks++ // this question is a task, too
	var all []object
	for i := range s.Slots {
		slot := object{"id": i, "is_processing": false}
		if i < len(s.slots) && s.slots[i].task > 0 {
			slot["id_task"] = s.slots[i].task
		}
		all = append(all, slot)
	}
	return all
}

// Keeps reports whether a slot still has the prompt that begins with a message.
func (s *Server) Keeps(message string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slot := range s.slots {
		var text string
		if json.Unmarshal([]byte(slot.prompt), &text) == nil && text == message {
			return true
		}
	}
	return false
}
