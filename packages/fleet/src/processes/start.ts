import type { Handler } from '#/handler.ts'
import { makeAction } from '#/processes/action.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'

export const makeStart = (deps: ProcessesDeps): Handler<'process:start'> => makeAction(deps, 'start')
