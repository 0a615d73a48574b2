// The GTK part of placement_linux.go.
#include "placement_linux.h"

// Defined in placement_linux.go.
extern void pilotfishPlace(uintptr_t handle, GtkWindow *window);
extern void pilotfishMoved(uintptr_t handle, GdkRectangle *at, gboolean maximised);

// How long a window must not have changed, in milliseconds, before its place is
// reported. During a change GTK knows the new size before the new state.
enum { REST = 300 };

// watched is a window whose place we report.
typedef struct {
  uintptr_t handle;
  GtkWindow *window;
  guint resting;
} watched;

static gboolean rested(gpointer data) {
  watched *it = data;
  it->resting = 0;
  GdkWindow *drawn = gtk_widget_get_window(GTK_WIDGET(it->window));
  if (drawn == NULL || !gtk_widget_get_mapped(GTK_WIDGET(it->window)) || gdk_window_get_state(drawn) & GDK_WINDOW_STATE_ICONIFIED)
    return G_SOURCE_REMOVE;
  GdkRectangle at;
  gtk_window_get_position(it->window, &at.x, &at.y);
  gtk_window_get_size(it->window, &at.width, &at.height);
  pilotfishMoved(it->handle, &at, gtk_window_is_maximized(it->window));
  return G_SOURCE_REMOVE;
}

static gboolean changes(GtkWidget *window, GdkEvent *event, gpointer data) {
  watched *it = data;
  if (it->resting != 0)
    g_source_remove(it->resting);
  it->resting = g_timeout_add(REST, rested, it);
  return FALSE;
}

// realized is called before the first window is shown. Placing the window later
// would show it for a moment where the window manager put it, and with the
// keyboard focus.
static gboolean realized(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer handle) {
  gpointer widget = g_value_get_object(&values[0]);
  if (!GTK_IS_WINDOW(widget) || gtk_window_get_window_type(widget) != GTK_WINDOW_TOPLEVEL)
    return TRUE; // wait for the next widget
  watched *it = g_new0(watched, 1); // never freed: it lives as long as the program
  it->handle = (uintptr_t)handle;
  it->window = widget;
  g_signal_connect(widget, "configure-event", G_CALLBACK(changes), it);
  g_signal_connect(widget, "window-state-event", G_CALLBACK(changes), it);
  pilotfishPlace(it->handle, it->window);
  return FALSE;
}

gboolean pilotfish_watch_place(uintptr_t handle) {
  if (!gtk_init_check(NULL, NULL))
    return FALSE; // Wails fails in the same way, and reports it
  g_type_class_ref(GTK_TYPE_WIDGET); // loads the class, which defines the signal
  g_signal_add_emission_hook(g_signal_lookup("realize", GTK_TYPE_WIDGET), 0, realized, (gpointer)handle, NULL);
  return TRUE;
}

int pilotfish_work_areas(GdkRectangle *areas, int most) {
  GdkDisplay *display = gdk_display_get_default();
  GdkMonitor *primary = gdk_display_get_primary_monitor(display);
  int found = 0;
  if (primary != NULL && most > 0)
    gdk_monitor_get_workarea(primary, &areas[found++]);
  for (int i = 0; i < gdk_display_get_n_monitors(display) && found < most; i++) {
    GdkMonitor *monitor = gdk_display_get_monitor(display, i);
    if (monitor != primary)
      gdk_monitor_get_workarea(monitor, &areas[found++]);
  }
  return found;
}

// moving is a window with the place to move it to.
typedef struct {
  GtkWindow *window;
  int x, y;
  gboolean maximised;
} moving;

static gboolean move(gpointer data) {
  moving *it = data;
  gtk_window_move(it->window, it->x, it->y);
  if (it->maximised)
    gtk_window_maximize(it->window); // unmaximising returns to the place set above
  g_free(it);
  return G_SOURCE_REMOVE;
}

// move_after queues the move behind everything that is queued now.
static gboolean move_after(gpointer data) {
  g_idle_add(move, data);
  return G_SOURCE_REMOVE;
}

void pilotfish_move(GtkWindow *window, int x, int y, gboolean maximised) {
  gtk_window_move(window, x, y);
  // Wails queues a move to the centre of the screen right after it shows the
  // window.
  moving *it = g_new(moving, 1);
  *it = (moving){window, x, y, maximised};
  g_idle_add(move_after, it);
}

static gboolean shown(GtkWidget *window, GdkEvent *event, gpointer unused) {
  // Xfwm shows a window without focus above all others.
  gdk_window_lower(gtk_widget_get_window(window));
  gtk_window_set_focus_on_map(GTK_WINDOW(window), TRUE); // from now on the user asks for it
  g_signal_handlers_disconnect_by_func(window, shown, NULL);
  return FALSE;
}

void pilotfish_show_behind(GtkWindow *window) {
  gtk_window_set_focus_on_map(window, FALSE);
  g_signal_connect(window, "map-event", G_CALLBACK(shown), NULL);
}
