import type { Handler } from '#/handler.ts'
import { makeAction } from '#/processes/action.ts'
import type { ProcessesParts } from '#/processes/parts.ts'

export const makeStart = (parts: ProcessesParts): Handler<'process:start'> => makeAction(parts, 'start')
