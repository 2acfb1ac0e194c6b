import { Secret } from '@fleet/kernel'
import type { ReadyProcess } from '#/processes/connections/values.ts'
import { markerOf } from '#/processes/marker.ts'

/** Files with the values of connections: what is in them only root may read, which systemd is. */
export const VALUES_FOLDER = '/etc/fleet/processes'

/** No other than systemd's own words are in the path. */
export const valuesPathOf = (id: number): string => `${VALUES_FOLDER}/${id}.env`

/** Whether a unit has such a file. */
export const hasValues = ({ runtime, runtime_config }: ReadyProcess): boolean =>
  runtime === 'systemd' && (runtime_config.connections ?? []).length > 0

/** The file of a unit, in the quotes of `EnvironmentFile` (systemd.exec). */
export const valuesFile = ({ id, values }: ReadyProcess): Secret =>
  new Secret(
    ['# Written by Fleet. Changes made here are replaced.', markerOf(id), ...values.set.map(quoted), ''].join(
      '\n',
    ),
  )

function quoted(entry: string): string {
  const at = entry.indexOf('=') + 1
  return `${entry.slice(0, at)}"${escapeUnitValue(entry.slice(at))}"`
}

/** A value as it is written between the double quotes of `EnvironmentFile`. */
export const escapeUnitValue = (value: string): string => value.replaceAll(/["\\`$]/g, '\\$&')
