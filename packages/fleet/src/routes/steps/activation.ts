import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { updateRoute } from '#/routes/queries.ts'
import type { ProxyRecord } from '#/routes/record.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { leafOf } from '#/routes/sites.ts'

export interface Activation {
  readonly deps: Pick<RoutesDeps, 'store' | 'certificates' | 'webServer' | 'names'>
  readonly call: Call
  readonly session: NodeSession
  readonly route: ProxyRecord
}

const certificate: Step<Activation> = {
  name: 'certificate',
  run: async ({ deps, session, route }) =>
    void (await deps.certificates.publishLeaf(session, { ...leafOf(route), isLoadedLater: true })),
}

const site: Step<Activation> = {
  name: 'caddy',
  run: async ({ deps, session, route }) => {
    await updateRoute(deps.store.db, route.id, { has_site: 1 })
    await deps.webServer.build(session, 'app-dev')
  },
}

/** Last: whoever hears the name finds the site behind it (RTE-048, RTE-189). */
const name: Step<Activation> = {
  name: 'dns',
  run: async ({ deps, call, route }) => {
    await updateRoute(deps.store.db, route.id, { has_name: 1 })
    await deps.names.publish(call)
  },
}

const settle: Step<Activation> = {
  name: 'activate',
  run: ({ deps, route }) =>
    updateRoute(deps.store.db, route.id, { status: 'active', failed_step: null, error_code: null }),
}

/** From the stored record to the answered name. What failed stays on the record: it is destroyed and created again (RTE-055). */
export const proxyActivation = stepList<Activation>(
  'route-proxy-activation',
  () => [certificate, site, name, settle],
  {
    forwardOnly: true,
  },
)

export const activateProxy = async (activation: Activation): Promise<void> =>
  void (await performSteps(proxyActivation, activation, {
    call: activation.call,
    log: failureLog(activation),
  }))

/** The status `failed` with the step and the code that stopped it (RTE-019). */
export const failureLog = ({
  deps,
  route,
}: {
  readonly deps: Pick<RoutesDeps, 'store'>
  readonly route: Pick<ProxyRecord, 'id'>
}): StepLog =>
  columnsLog<{ readonly failed_step: string; readonly error_code: string }>({
    on: { failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }) },
    write: (failure) => updateRoute(deps.store.db, route.id, { status: 'failed', ...failure }),
  })
