; extends

; The program of a call of python_execution is Python from its second line on: the first is "program: |".
((fenced_code_block
  (info_string) @_info
  (code_fence_content) @injection.content)
  (#lua-match? @_info "^tool%s+python_execution%f[%s]")
  (#offset! @injection.content 1 0 0 0)
  (#set! injection.language "python"))
