import { program } from './program.ts'

/** The block device of a file, made when it has none. */
export async function ensureDevice(file: string): Promise<string> {
  const [known] = await devices((backing) => backing === file)
  return known ?? (await program(['losetup', '--find', '--show', file])).trim()
}

/** Another device for the file; the earlier one goes when the last that holds it does. */
export async function replaceDevice(file: string): Promise<string> {
  for (const device of await devices((backing) => backing === file))
    await program(['losetup', '--detach', device])
  return (await program(['losetup', '--find', '--show', file])).trim()
}

/** Gives back the devices of all files below a folder. */
export async function detachBelow(folder: string): Promise<void> {
  for (const device of await devicesBelow(folder)) await program(['losetup', '--detach', device])
}

export const devicesBelow = (folder: string): Promise<readonly string[]> =>
  devices((backing) => backing.startsWith(`${folder}/`))

async function devices(wanted: (backing: string) => boolean): Promise<readonly string[]> {
  const list = await program(['losetup', '--list', '--noheadings', '--raw', '--output', 'NAME,BACK-FILE'])
  return list
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([name = '', backing = '']) => (wanted(backing) ? [name] : []))
}
