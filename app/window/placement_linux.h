#include <gtk/gtk.h>
#include <stdint.h>

// pilotfish_watch_place makes sure that the first window is placed before it is
// shown, and that its place is reported from then on. Call it on the main
// thread, before Wails. It returns whether there is a display.
gboolean pilotfish_watch_place(uintptr_t handle);

// Call the following functions while the window is placed.

// pilotfish_work_areas writes the work areas of the screens, the primary one first,
// and returns how many there are.
int pilotfish_work_areas(GdkRectangle *areas, int most);
void pilotfish_move(GtkWindow *window, int x, int y, gboolean maximised);
// pilotfish_show_behind shows the window below the others and without the
// keyboard focus.
void pilotfish_show_behind(GtkWindow *window);
