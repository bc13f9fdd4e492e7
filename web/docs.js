// The reader takes its colours from attributes; they follow the reader's own preference for light or dark.
const explorer = document.querySelector('openapi-explorer')
const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => {
  const colours = dark.matches
    ? {
        'bg-color': '#16181d',
        'text-color': '#e6e2da',
        'primary-color': '#8fb996',
        'secondary-color': '#8fb996',
        'nav-bg-color': '#101216',
        'nav-text-color': '#c9c4b8',
      }
    : {
        'bg-color': '#fbfaf7',
        'text-color': '#1f2937',
        'primary-color': '#2f6b46',
        'secondary-color': '#2f6b46',
        'nav-bg-color': '#eef3ee',
        'nav-text-color': '#22302a',
      }
  for (const [name, colour] of Object.entries(colours)) explorer.setAttribute(name, colour)
}
dark.addEventListener('change', paint)
paint()
