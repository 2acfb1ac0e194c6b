import { admitMarked, type ManagedService, markerText, UNIT_DIRECTORY } from '#/managed-services/api.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { renderUnit, unitNameOf } from '#/processes/unit.ts'

type Named = Pick<ProcessRecord, 'id' | 'name'>

/** The unit of a Process. Its start and stop are requests of their own, so installing it starts nothing. */
export const processService = (process: ProcessRecord, domain: string | undefined): ManagedService => ({
  ...unitOf(process),
  render: () => ({ units: { [unitNameOf(process)]: renderUnit(process, domain) } }),
})

/** Enough of the declaration to remove the unit: for a Process of which the id and the name are left. */
export const unitOf = (process: Named): ManagedService => ({
  name: 'process',
  units: [{ name: unitNameOf(process), file: 'own', isEnabled: false, onChange: 'none' }],
  hooks: {
    admit: admitMarked(markerText('process', process.id), [`${UNIT_DIRECTORY}/${unitNameOf(process)}`]),
  },
  ready: { kind: 'active', seconds: 1 },
  render: () => ({ units: {} }),
  failure: (reason) =>
    reason === 'not_admitted'
      ? { code: 'process.unit_conflict', details: { unit: unitNameOf(process) } }
      : { code: 'process.runtime_failed', details: { unit: unitNameOf(process), reason } },
})
