import type { Handler } from '#/handler.ts'
import { requireTool } from '#/tools/locators.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { presentTool } from '#/tools/present.ts'

export const makeShow =
  (deps: ToolsDeps): Handler<'tool:show'> =>
  async ({ input, found }) => ({ data: presentTool(found?.tool ?? (await requireTool(deps, input.tool))) })
