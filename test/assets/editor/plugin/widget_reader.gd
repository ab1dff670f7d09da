tool
extends EditorPlugin

# Twice a second, writes every visible widget that has text to the file WIDGET_FILE as JSON: class,
# rectangle, text, whether it is disabled, and the dialogs and asset library parts it lies in. The
# test reads it to know what the editor shows and where to click. Nothing of the editor is called.

const INTERVAL = 0.5
var elapsed = 0.0


func _process(delta):
	elapsed += delta
	if elapsed < INTERVAL:
		return
	elapsed = 0.0
	var widgets = []
	collect(get_tree().get_root(), "", widgets)
	save(widgets)


func collect(node, path, widgets):
	if node is Control:
		if not node.visible:
			return
		append_widget(node, path, widgets)
	var name = node.get_class()
	var child_path = path
	if name.begins_with("EditorAsset") or name.ends_with("Dialog"):
		child_path = path + "/" + name
	for child in node.get_children():
		collect(child, child_path, widgets)


func append_widget(node, path, widgets):
	var rect = node.get_global_rect()
	if node is PopupMenu:
		var count = node.get_item_count()
		for index in range(count):
			var height = rect.size.y / count
			var top = Vector2(rect.position.x, rect.position.y + height * index)
			var item_rect = Rect2(top, Vector2(rect.size.x, height))
			widgets.append(row("MenuItem", path, item_rect, node.get_item_text(index), false))
	elif "text" in node:
		var disabled = "disabled" in node and node.disabled
		widgets.append(row(node.get_class(), path, rect, node.text, disabled))
	elif "window_title" in node:
		widgets.append(row(node.get_class(), path, rect, node.window_title, false))


func row(type, path, rect, text, disabled):
	return {
		"type": type,
		"path": path,
		"x": rect.position.x,
		"y": rect.position.y,
		"width": rect.size.x,
		"height": rect.size.y,
		"text": text,
		"disabled": disabled,
	}


# The rename is atomic, so the test never reads half a file.
func save(widgets):
	var path = OS.get_environment("WIDGET_FILE")
	var file = File.new()
	if file.open(path + ".part", File.WRITE) != OK:
		return
	file.store_string(to_json(widgets))
	file.close()
	Directory.new().rename(path + ".part", path)
