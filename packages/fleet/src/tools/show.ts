import type { Handler } from '#/handler.ts'
import { requireTool } from '#/tools/locators.ts'
import type { ToolsParts } from '#/tools/parts.ts'
import { presentTool } from '#/tools/present.ts'

export const makeShow =
  (parts: ToolsParts): Handler<'tool:show'> =>
  async ({ input, found }) => ({ data: presentTool(found?.tool ?? (await requireTool(parts, input.tool))) })
