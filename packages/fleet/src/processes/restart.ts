import type { Handler } from '#/handler.ts'
import { makeAction } from '#/processes/action.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'

export const makeRestart = (deps: ProcessesDeps): Handler<'process:restart'> => makeAction(deps, 'restart')
