-- Requests to a language server.
local M = {}

--- Sends a request; Neovim 0.10 has functions where later versions have methods.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param done fun(err: lsp.ResponseError?, result: any)
---@param buf? integer
---@return boolean sent
---@return integer? id
function M.send(client, method, params, done, buf)
  if vim.fn.has("nvim-0.11") == 1 then
    return client:request(method, params, done, buf)
  end
  return client.request(method, params, done, buf)
end

--- Runs a command of the server. What it refuses is said.
---@param client vim.lsp.Client
---@param command string
---@param arguments any[]
function M.execute(client, command, arguments)
  M.send(client, "workspace/executeCommand", { command = command, arguments = arguments }, function(err)
    if err then
      require("assent.say").warn(err.message)
    end
  end)
end

return M
