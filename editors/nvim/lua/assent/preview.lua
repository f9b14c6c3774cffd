-- What a pending call would do. It answers nothing, and says when its question is over.
local M = {}

local over = {} ---@type table<string, fun()[]> by the id of the question

--- Shows a preview.
---@param id string of the question
---@param preview assent.Preview
function M.show(id, preview)
  local change = require("assent.float").show({ title = preview.title, text = preview.text, filetype = "diff" })
  over[id] = over[id] or {}
  table.insert(over[id], function()
    change("Over: " .. preview.title, "This question is over.")
  end)
  M.refresh()
end

--- Marks the previews of questions that no longer wait.
function M.refresh()
  local waits = {}
  for _, entry in ipairs(require("assent.state").waiting()) do
    waits[entry.waiting.id] = true
  end
  for id, previews in pairs(over) do
    if not waits[id] then
      over[id] = nil
      for _, mark in ipairs(previews) do
        mark()
      end
    end
  end
end

return M
