-- What this editor knows, for the tools of the server: assent/editor/*. Other language servers are asked, never ours.
local M = {}

local encoding = require("assent.encoding")
local loaded = require("assent.buffers").of
local generated = require("assent.generated")

--- What of assent/editor/* is answered.
M.names = { "diagnostics", "documents", "definition", "references", "symbols", "format" }

local patience = 8000 -- milliseconds for all other servers together: ours waits for ten seconds

-- Other servers that can do something, of a buffer or of all.
---@param method string
---@param buf? integer
---@return vim.lsp.Client[]
local function others(method, buf)
  return vim.tbl_filter(function(c)
    return c.name ~= "assent"
  end, vim.lsp.get_clients({ method = method, bufnr = buf }))
end

---@return integer
local function now()
  return vim.uv.hrtime() / 1e6
end

-- Why a question cannot be answered, in a sentence: no answer would read as if there were nothing.
---@param text string
local function refusal(text)
  return vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.InternalError, text)
end

-- Asks another server and waits for its answer; the editor goes on meanwhile, since handlers of requests are coroutines.
---@param deadline number
---@return any result
---@return string? problem
local function ask(server, method, params, buf, deadline)
  local this, over, result, problem = assert(coroutine.running()), false, nil, nil
  local function finish(err, answer)
    if not over then
      over, result, problem = true, not err and answer or nil, err and server.name .. ": " .. err.message or nil
      if coroutine.status(this) == "suspended" then
        coroutine.resume(this)
      end
    end
  end
  local sent, id = require("assent.request").send(server, method, params, finish, buf)
  if not sent then
    return nil, server.name .. " has ended"
  end
  local timer = vim.defer_fn(function()
    if not over then
      finish({ message = "it did not answer in time" })
      if vim.fn.has("nvim-0.11") == 1 then
        server:cancel_request(id)
      else
        server.cancel_request(id)
      end
    end
  end, math.max(math.floor(deadline - now()), 1))
  if not over then
    coroutine.yield()
  end
  if not timer:is_closing() then
    timer:close()
  end
  return result, problem
end

-- Asks all other servers that can do something and gives use each answer. A problem only if none of them answered.
---@param method string
---@param buf? integer
---@param params fun(server: vim.lsp.Client): table
---@param use fun(server: vim.lsp.Client, result: any)
---@return lsp.ResponseError?
local function ask_all(method, buf, params, use)
  local deadline, answered, problems = now() + patience, false, {}
  for _, server in ipairs(others(method, buf)) do
    local result, problem = ask(server, method, params(server), buf, deadline)
    if problem then
      table.insert(problems, problem)
    else
      answered = true
      use(server, result)
    end
  end
  if not answered then
    return refusal(#problems > 0 and table.concat(problems, "; ") or "no language server in Neovim answers this")
  end
end

local not_open = "the file is not open in Neovim"

local answers = {}

---@param params assent.OfFile
---@return assent.Diagnostics
function answers.diagnostics(params, ours)
  local buf = loaded(params.uri)
  if params.uri and not buf then
    return nil, refusal(not_open)
  end
  return { diagnostics = require("assent.problems").all(buf, ours.offset_encoding) }
end

---@return assent.Documents
function answers.documents()
  local out = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf)
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buflisted and vim.bo[buf].buftype == "" and name ~= "" then
      table.insert(out, {
        uri = vim.uri_from_bufnr(buf),
        languageId = vim.bo[buf].filetype,
        dirty = vim.bo[buf].modified,
        visible = #vim.fn.win_findbuf(buf) > 0,
        active = buf == vim.api.nvim_get_current_buf(),
      })
    end
  end
  return { documents = out }
end

---@param method string
---@return fun(params: assent.Place, ours: vim.lsp.Client): assent.Locations?, lsp.ResponseError?
local function locations(method)
  return function(params, ours)
    local buf, out, text = loaded(params.uri), {}, encoding.reader()
    if not buf then
      return nil, refusal(not_open)
    end
    local problem = ask_all(method, buf, function(server)
      return {
        textDocument = { uri = vim.uri_from_bufnr(buf) }, -- as Neovim spells it
        position = encoding.position(params.position, params.uri, ours.offset_encoding, server.offset_encoding, text),
        context = { includeDeclaration = true },
      }
    end, function(server, result)
      for _, found in ipairs(result and (result.uri and { result } or result) or {}) do
        local uri = found.uri or found.targetUri
        local range = found.range or found.targetSelectionRange
        table.insert(out, { uri = uri, range = encoding.range(range, uri, server.offset_encoding, ours.offset_encoding, text) })
      end
    end)
    return not problem and { locations = out } or nil, problem
  end
end

answers.definition = locations("textDocument/definition")
answers.references = locations("textDocument/references")

---@param params assent.SymbolsWanted
---@return assent.Symbols?
---@return lsp.ResponseError?
function answers.symbols(params, ours)
  local method = params.uri and "textDocument/documentSymbol" or "workspace/symbol"
  local buf, out, text = loaded(params.uri), {}, encoding.reader()
  if params.uri and not buf then
    return nil, refusal(not_open)
  end
  local uri = buf and vim.uri_from_bufnr(buf)
  local problem = ask_all(method, buf, function()
    return uri and { textDocument = { uri = uri } } or { query = params.query or "" }
  end, function(server, result)
    local function add(list, container)
      for _, s in ipairs(list or {}) do
        local place = s.location or { uri = uri, range = s.selectionRange or s.range }
        if place.range then
          local range = encoding.range(place.range, place.uri, server.offset_encoding, ours.offset_encoding, text)
          table.insert(out, { name = s.name, kind = s.kind, container = s.containerName or container, uri = place.uri, range = range })
        end
        add(s.children, s.name)
      end
    end
    add(result)
  end)
  return not problem and { symbols = out } or nil, problem
end

---@param params assent.OfFile
---@return assent.Edits?
---@return lsp.ResponseError?
function answers.format(params, ours)
  local method, buf = "textDocument/formatting", loaded(params.uri)
  if not buf then
    return nil, refusal(not_open)
  end
  local server = others(method, buf)[1]
  if not server then
    return nil, refusal("no language server in Neovim formats this file")
  end
  local text, out, uri = encoding.reader(), {}, vim.uri_from_bufnr(buf)
  local result, problem = ask(server, method, {
    textDocument = { uri = uri },
    options = { tabSize = vim.lsp.util.get_effective_tabstop(buf), insertSpaces = vim.bo[buf].expandtab },
  }, buf, now() + patience)
  if problem then
    return nil, refusal(problem)
  end
  for _, edit in ipairs(result or {}) do
    table.insert(out, {
      range = encoding.range(edit.range, uri, server.offset_encoding, ours.offset_encoding, text),
      newText = edit.newText,
    })
  end
  return { edits = out }
end

--- The handlers of these requests.
---@return table<string, function>
function M.handlers()
  local all = {}
  for _, name in ipairs(M.names) do
    all[generated.methods["editor" .. name:gsub("^%l", string.upper)]] = function(_, params, context)
      return answers[name](params or {}, assert(vim.lsp.get_client_by_id(context.client_id)))
    end
  end
  return all
end

return M
