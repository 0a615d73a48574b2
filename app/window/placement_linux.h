#include <gtk/gtk.h>
#include <stdint.h>

// pilotfish_watch_place has the first window placed before it is shown, and its
// place reported from then on. It is called on the main thread, before Wails, and
// returns whether there is a display.
gboolean pilotfish_watch_place(uintptr_t handle);

// The others are called while the window is placed.

// pilotfish_work_areas writes the work areas of the screens, the primary one first,
// and returns how many there are.
int pilotfish_work_areas(GdkRectangle *areas, int most);
void pilotfish_move(GtkWindow *window, int x, int y, gboolean maximised);
// pilotfish_show_behind has the window shown below the others and without the
// keyboard.
void pilotfish_show_behind(GtkWindow *window);
