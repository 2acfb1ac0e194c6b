import {
  admitMarked,
  type ManagedService,
  markerText,
  type ServicePlaces,
  UNIT_DIRECTORY,
} from '#/managed-services/api.ts'
import { hasValues, VALUES_FOLDER, valuesFile, valuesPathOf } from '#/processes/connections/file.ts'
import type { ReadyProcess } from '#/processes/connections/values.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { renderUnit, unitNameOf } from '#/processes/unit.ts'

type Named = Pick<ProcessRecord, 'id' | 'name'>

/** The unit of a Process. Its start and stop are requests of their own, so installing it starts nothing. */
export const processService = (process: ReadyProcess, domain: string | undefined): ManagedService => {
  const units = { [unitNameOf(process)]: renderUnit(process, domain) }
  if (!hasValues(process)) return { ...unitOf(process), render: () => ({ units }) }
  const file = valuesFile(process)
  return {
    ...unitOf(process),
    ...VALUES,
    files: [{ path: valuesPathOf(process.id), mode: '600' }],
    render: () => ({ files: { [valuesPathOf(process.id)]: file }, units }),
  }
}

const VALUES = {
  folders: [
    { path: '/etc/fleet', mode: '755', keeping: 'shared' },
    { path: VALUES_FOLDER, mode: '700', keeping: 'shared' },
  ],
} as const satisfies Pick<ServicePlaces, 'folders'>

/** Enough of the declaration to remove the unit: for a Process of which the id and the name are left. */
export const placesOf = (process: Named): ServicePlaces => ({
  ...unitOf(process),
  ...VALUES,
  files: [{ path: valuesPathOf(process.id), mode: '600' }],
})

const unitOf = (process: Named): ServicePlaces => ({
  name: 'process',
  printsForOthers: true,
  units: [{ name: unitNameOf(process), file: 'own', isEnabled: false, onChange: 'none' }],
  hooks: {
    admit: admitMarked(markerText('process', process.id), [
      `${UNIT_DIRECTORY}/${unitNameOf(process)}`,
      valuesPathOf(process.id),
    ]),
  },
  ready: { kind: 'active', seconds: 1 },
  failure: (reason) =>
    reason === 'not_admitted'
      ? { code: 'process.unit_conflict', details: { unit: unitNameOf(process) } }
      : { code: 'process.runtime_failed', details: { unit: unitNameOf(process), reason } },
})
