-- Places in texts, from the position encoding of one language server to that of another.
local M = {}

---@param line string
---@param character integer
---@param encoding string
---@return integer byte
local function to_byte(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  end
  local ok, byte
  if vim.fn.has("nvim-0.11") == 1 then
    ok, byte = pcall(vim.str_byteindex, line, encoding, character, false)
  else
    ok, byte = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
  end
  return ok and byte or #line
end

---@param line string
---@param byte integer
---@param encoding string
---@return integer
local function from_byte(line, byte, encoding)
  if encoding == "utf-8" then
    return byte
  end
  local utf32, utf16
  if vim.fn.has("nvim-0.11") == 1 then
    utf32, utf16 = vim.str_utfindex(line, "utf-32", byte, false), vim.str_utfindex(line, "utf-16", byte, false)
  else
    utf32, utf16 = vim.str_utfindex(line, byte)
  end
  return encoding == "utf-16" and utf16 or utf32
end

--- Gives the text of a line of a file, from its buffer or from the disk; files are read once.
---@return fun(uri: string, line: integer): string
function M.reader()
  local files = {}
  return function(uri, line)
    local buf = require("assent.buffers").of(uri)
    if buf then
      return vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ""
    end
    if not files[uri] then
      local ok, lines = pcall(vim.fn.readfile, vim.uri_to_fname(uri))
      files[uri] = ok and lines or {}
    end
    return (files[uri][line + 1] or ""):gsub("\r$", "")
  end
end

---@param place lsp.Position
---@param uri string
---@param from string
---@param to string
---@param text fun(uri: string, line: integer): string
---@return lsp.Position
function M.position(place, uri, from, to, text)
  if from == to then
    return { line = place.line, character = place.character }
  end
  local line = text(uri, place.line)
  return { line = place.line, character = from_byte(line, to_byte(line, place.character, from), to) }
end

---@param range lsp.Range
---@return lsp.Range
function M.range(range, uri, from, to, text)
  return { start = M.position(range.start, uri, from, to, text), ["end"] = M.position(range["end"], uri, from, to, text) }
end

return M
