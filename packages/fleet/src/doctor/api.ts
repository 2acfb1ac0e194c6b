export { makeDoctor } from '#/doctor/make.ts'
export type { RunParts as DoctorParts } from '#/doctor/run.ts'
