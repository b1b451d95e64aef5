sfx/flareGreen
{
	q3map_flare flareShader
	{
		map textures/sfx/flarebox.tga
		rgbGen const ( 0 1 0 )
	}
}

