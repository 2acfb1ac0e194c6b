import type { Handler } from '#/handler.ts'
import { makeAction } from '#/processes/action.ts'
import type { ProcessesParts } from '#/processes/parts.ts'

export const makeRestart = (parts: ProcessesParts): Handler<'process:restart'> => makeAction(parts, 'restart')
