import type { Handler } from '#/handler.ts'
import { makeAction } from '#/processes/action.ts'
import type { ProcessesParts } from '#/processes/parts.ts'

export const makeStop = (parts: ProcessesParts): Handler<'process:stop'> => makeAction(parts, 'stop')
