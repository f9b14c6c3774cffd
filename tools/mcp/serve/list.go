package serve

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
)

// current brings the list of tools up to date before it is given, and refuses a call of a tool that is not in it with a
// sentence.
func (s *Server) current(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		switch method {
		case "initialize":
			// It gives a session in any case: the SDK would take the version that was asked for as the one that is
			// spoken.
			if params, ok := r.GetParams().(*mcp.InitializeParams); ok && params.ProtocolVersion >= sessionless {
				params.ProtocolVersion = lastWithSessions
			}
		case "tools/list":
			if err := s.refresh(ctx); err != nil {
				return nil, err
			}
		case "resources/list":
			if list, ok := r.(*mcp.ListResourcesRequest); ok && s.options.Workspace != nil {
				return s.files(ctx, list)
			}
		case "tools/call":
			if call, ok := r.(*mcp.CallToolRequest); ok {
				if err := s.known(ctx, call); err != nil {
					return nil, err
				}
			}
		}
		return next(ctx, method, r)
	}
}

// refresh asks for the tools that there are now, and tells the clients if they are others.
func (s *Server) refresh(ctx context.Context) error {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	now, err := s.options.Tools(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && s.options.Warn != nil {
		s.options.Warn(err.Error())
	}
	fresh := map[string]tools.Spec{}
	for _, spec := range now.Registry().Specs() {
		if offered(spec) {
			fresh[spec.Name] = spec
		}
	}
	s.mu.Lock()
	before := s.served
	s.tools, s.served = now, fresh
	s.mu.Unlock()
	for _, spec := range fresh {
		if old, known := before[spec.Name]; !known || !reflect.DeepEqual(old, spec) {
			s.add(spec)
		}
	}
	maps.DeleteFunc(before, func(name string, _ tools.Spec) bool { _, still := fresh[name]; return still })
	if len(before) > 0 {
		s.mcp.RemoveTools(slices.Collect(maps.Keys(before))...)
	}
	return nil
}

// watch looks for changes of the list until ctx or the server ends: a source does not say that its files have changed.
func (s *Server) watch(ctx context.Context) {
	ctx, cancel := s.untilClosed(ctx)
	defer cancel()
	tick := time.NewTicker(s.options.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if len(slices.Collect(s.mcp.Sessions())) > 0 {
				_ = s.refresh(ctx) // it only fails when the server ends
			}
		}
	}
}

// offered reports whether a tool is of use to another program: not our own that ask the person of a chat, write its
// list of tasks, read their other chats, or find tools that a model was not told of.
func offered(spec tools.Spec) bool {
	return spec.Origin != tools.BuiltIn || !spec.Effect.ByPerson() && !spec.Finds && spec.Own() != "todo" &&
		spec.Own() != "recall"
}

// add registers a tool with the SDK, which refuses some schemas by a panic.
func (s *Server) add(spec tools.Spec) {
	defer func() {
		if v := recover(); v != nil && s.options.Warn != nil {
			s.options.Warn(fmt.Sprintf("The tool %s is not offered: %v.", spec.Name, v))
		}
	}()
	destructive, outside := spec.Effect.Changes(), spec.Effect.Outside()
	s.mcp.AddTool(&mcp.Tool{
		Name: spec.Name, Description: spec.Description, InputSchema: spec.Parameters,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: !destructive, DestructiveHint: &destructive, OpenWorldHint: &outside,
		},
	}, s.call)
}

// known refuses a call of a tool that is not offered. A tool that came since the last look is found.
func (s *Server) known(ctx context.Context, r *mcp.CallToolRequest) error {
	if _, names := s.now(); slices.Contains(names, r.Params.Name) {
		return nil
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	d, names := s.now()
	if slices.Contains(names, r.Params.Name) {
		return nil
	}
	call := s.callOf(r, names)
	if _, inChats := d.Registry().BuiltIn(call.Name); inChats {
		return invalid(fmt.Sprintf(
			"The tool %s is of use in a chat of Assent alone. The tools here are: %s.", call.Name,
			strings.Join(names, ", "),
		))
	}
	p := d.Prepare(ctx, call)
	_, _ = d.Execute(ctx, p, nil) // puts the call into the log; nothing runs
	if p.Answered == nil || !p.Invalid {
		return invalid(fmt.Sprintf("There is no tool %q.", call.Name))
	}
	return invalid(p.Answered.Text())
}

// now are the tools as they were last listed, with the names of those that are offered, sorted.
func (s *Server) now() (*tools.Dispatcher, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools, slices.Sorted(maps.Keys(s.served))
}
