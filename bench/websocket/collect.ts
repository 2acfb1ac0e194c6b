// Imported by the servers of the memory benchmark: SIGUSR2 collects garbage and says so, so that what remains is what the
// connections need, and not when a collector last ran.
process.on('SIGUSR2', () => {
  for (let times = 0; times < 3; times += 1) globalThis.gc?.()
  console.log('collected')
})
