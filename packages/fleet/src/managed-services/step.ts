import type { Step } from '@fleet/steps'
import type { ManagedService } from '#/managed-services/declaration.ts'
import { ensureService, type ServiceDeps, removeService } from '#/managed-services/ensure.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface ServiceContext {
  readonly deps: ServiceDeps
  readonly session: NodeSession
}

/** The same context for undoing: its session may use the time that forward work leaves. */
export const forUndoing = <C extends Pick<ServiceContext, 'session'>>(context: C): C => ({
  ...context,
  session: context.session.reserving(0),
})

/** The step of a list that sets a service up, and removes it when the work is undone. */
export const serviceStep = <C extends ServiceContext>(
  serviceOf: (context: C) => ManagedService,
): Step<C> => ({
  name: 'service',
  run: async (context) => {
    await ensureService(context.deps, context.session, serviceOf(context))
  },
  undo: async (context) => {
    await removeService(context.deps, context.session, serviceOf(context))
  },
})
