// Package e2e drives real editors against the built assent program and looks at what a person would see: buffers,
// menus, diagnostics, the chat document. Its tests have the build tag e2e; run them with
//
//	go test -tags e2e ./editors/e2e
//
// The scripts in install/ bring the editors and a model into a cache folder first; -run picks less. Each test leaves
// its logs, documents and screens in out/TEST in that folder.
package e2e
