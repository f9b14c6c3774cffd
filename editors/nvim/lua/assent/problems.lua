-- What all language servers and linters of this editor say about a text, as LSP has it.
local M = {}

local encoding = require("assent.encoding")

--- The diagnostics of a buffer or of all, but for ours.
---@param buf? integer
---@param to string The position encoding of the places.
---@return assent.Diagnostic[]
function M.all(buf, to)
  local out, text = {}, encoding.reader()
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    if d.source ~= "assent" and vim.api.nvim_buf_is_valid(d.bufnr) then
      local uri = vim.uri_from_bufnr(d.bufnr)
      local range = {
        start = { line = d.lnum, character = d.col },
        ["end"] = { line = d.end_lnum or d.lnum, character = d.end_col or d.col },
      }
      table.insert(out, {
        uri = uri,
        range = encoding.range(range, uri, "utf-8", to, text),
        severity = d.severity,
        source = d.source,
        code = d.code and tostring(d.code) or nil,
        message = d.message,
      })
    end
  end
  return out
end

--- Those that touch some lines of a buffer, from 0.
---@param buf integer
---@param first integer
---@param last integer
---@param to string
---@return assent.Diagnostic[]
function M.of_lines(buf, first, last, to)
  return vim.tbl_filter(function(d)
    return d.range.start.line <= last and d.range["end"].line >= first
  end, M.all(buf, to))
end

return M
