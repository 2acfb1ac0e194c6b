import type { Handler } from '#/handler.ts'
import { makeAction } from '#/processes/action.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'

export const makeStop = (deps: ProcessesDeps): Handler<'process:stop'> => makeAction(deps, 'stop')
